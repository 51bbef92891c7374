import { errorText } from "../../errors.ts";
import { callHook } from "../../hook.ts";
import { warningOf } from "../../warning.ts";

/** Called with versions that cannot be used and other errors; the previous policies stay in use. */
export type OnError = (error: unknown) => unknown;

/**
 * Returns a function that reports errors and never throws: to the hook, or else as a warning, which is not repeated
 * until another message comes.
 */
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
