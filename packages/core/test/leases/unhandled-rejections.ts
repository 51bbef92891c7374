import { afterEach, beforeEach, expect } from "vitest";
import { settledSoon } from "../manual-after.ts";

/** Fails each test of a suite that leaves a rejection unhandled. */
export function noUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  beforeEach(() => void process.on("unhandledRejection", note));
  afterEach(async () => {
    await settledSoon();
    process.off("unhandledRejection", note);
    expect(unhandled.splice(0)).toEqual([]);
  });
}
