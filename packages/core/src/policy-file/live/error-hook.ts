import { errorText } from "../../errors.ts";
import { callHook } from "../../hook.ts";
import { warningOf } from "../../warning.ts";

/** Told of versions that cannot be used, and of what else goes wrong; the policies before them stay in use. */
export type OnError = (error: unknown) => unknown;

/** Makes what tells errors, and never throws: without a hook a string is warned of once, until there is another. */
export function errorHook(onError: OnError | undefined): (error: unknown) => void {
  let latest: string | undefined;
  const warn = (error: unknown): void => {
    const message = `Keeping the previous policies. ${errorText(error)}`;
    if (message === latest) return;
    latest = message;
    process.emitWarning(warningOf("SPILLWAY_POLICIES_KEPT", message));
  };
  return (error) => {
    if (onError) callHook(onError, [error], warn);
    else warn(error);
  };
}
