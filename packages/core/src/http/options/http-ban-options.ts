import { z } from "zod";
import type { Decision } from "../../decision.ts";
import { type BanOptions, banShape } from "../../policies/ban.ts";
import { bodySchema, statusSchema } from "./refusal-schemas.ts";

/** A ban, and how whom it blocks is answered. */
export interface HttpBanOptions<Req> extends BanOptions {
  /** Of an answer to whom is blocked. Default: the limiter's. */
  readonly status?: number | undefined;
  /** Of such an answer. Default: the limiter's. */
  readonly body?: "json" | "problem" | ((decision: Decision, req: Req) => unknown) | undefined;
}

/** The fields of such a ban, for strict object schemas. */
export const httpBanShape: Readonly<Record<string, z.ZodType>> = {
  ...banShape,
  status: statusSchema.optional(),
  body: bodySchema.optional(),
};

export const httpBanSchema: z.ZodType = z.strictObject(httpBanShape);
