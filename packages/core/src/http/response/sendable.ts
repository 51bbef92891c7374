import { validateHeaderName, validateHeaderValue } from "node:http";
import { isWhole } from "../../whole.ts";

/** Statuses without a body, according to HTTP. */
const bodiless: readonly number[] = [204, 205, 304];

/** Whether a response may have a status, 200 to 599, together with a body. */
export function isSendableStatus(status: unknown): boolean {
  return isWhole(status) && status >= 200 && status <= 599 && !bodiless.includes(status);
}

/** Whether Node would send a header field. */
export function isSendableField(name: string, value: unknown): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value as string);
    return typeof value === "string";
  } catch {
    return false;
  }
}

/** The description of a sendable status, for messages. */
export const aSendableStatus = "a status from 200 to 599 that has a body";
/** The description of a sendable field, for messages. */
export const aSendableField = "a header field and its text";
