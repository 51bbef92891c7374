import { toldOf } from "../errors.ts";

/** Told of versions that cannot be used, and of what else goes wrong; the policies before them stay in use. */
export type OnError = (error: unknown) => unknown;

/** Makes what tells errors, and never throws: without a hook each new text is warned of once. */
export function tellerOf(onError: OnError | undefined): (error: unknown) => void {
  let latest: string | undefined;
  const warn = (error: unknown): void => {
    const message = `The policies that were in use stay in use. ${toldOf(error)}`;
    if (message === latest) return;
    latest = message;
    const code = "SPILLWAY_POLICIES_KEPT";
    process.emitWarning(Object.assign(new Error(message), { name: "SpillwayWarning", code }));
  };
  return (error) => {
    if (!onError) return warn(error);
    try {
      Promise.resolve(onError(error)).then(undefined, warn);
    } catch (thrown) {
      warn(thrown);
    }
  };
}
