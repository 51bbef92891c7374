import { z } from "zod";
import type { Decision } from "../../decision.ts";
import { type BanOptions, banFields } from "../../policies/ban.ts";
import { bodyField, statusField } from "./answer-fields.ts";

/** A ban, and how whom it blocks is answered. */
export interface HttpBanOptions<Req> extends BanOptions {
  /** Of an answer to whom is blocked. Default: the limiter's. */
  readonly status?: number | undefined;
  /** Of such an answer. Default: the limiter's. */
  readonly body?: "json" | "problem" | ((decision: Decision, req: Req) => unknown) | undefined;
}

/** The fields of such a ban, for strict object schemas. */
export const httpBanFields: Readonly<Record<string, z.ZodType>> = {
  ...banFields,
  status: statusField.optional(),
  body: bodyField.optional(),
};

export const httpBanField: z.ZodType = z.strictObject(httpBanFields);
