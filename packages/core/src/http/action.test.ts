import { describe, expect, it } from "vitest";
import type { Decision } from "../decision.ts";
import { challenged } from "./action.ts";

const decision = { allowed: false } as Decision;

describe("challenged", () => {
  it.each<[answer: unknown, problem: string]>([
    [
      undefined,
      "action: expected an answer: { status?, headers?, body? } (return it; do not write the response), received undefined",
    ],
    [null, "action: expected an answer: { status?, headers?, body? }, received null"],
    ["no", 'action: expected an answer: { status?, headers?, body? }, received "no"'],
    [{ code: 403 }, 'action.code: expected one of status, headers, body, received "code"'],
    [{ status: 204 }, "action.status: expected a status from 200 to 599 that has a body"],
  ])("refuses %j as an answer", async (answer, problem) => {
    expect(() => challenged(() => answer as never, decision, {})).toThrow(problem);
    const later = challenged(async () => answer as never, decision, {});
    await expect(later).rejects.toThrow(problem);
  });
});
