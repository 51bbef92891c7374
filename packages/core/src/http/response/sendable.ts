import { validateHeaderName, validateHeaderValue } from "node:http";
import { isWhole } from "../../whole.ts";

/** Statuses whose answers have no body by HTTP. */
const bodiless: readonly number[] = [204, 205, 304];

/** Whether an answer may have a status, 200 to 599, and a body with it. */
export function isSendableStatus(status: unknown): boolean {
  return isWhole(status) && status >= 200 && status <= 599 && !bodiless.includes(status);
}

/** Whether Node would write a header field. */
export function isSendableField(name: string, value: unknown): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value as string);
    return typeof value === "string";
  } catch {
    return false;
  }
}

/** What is said of a status and of a field that are not. */
export const aSendableStatus = "a status from 200 to 599 that has a body";
export const aSendableField = "a header field and its text";
