import { z } from "zod";
import type { Decision } from "../../decision.ts";
import { type BanOptions, banShape } from "../../policies/ban.ts";
import { bodySchema, statusSchema } from "./refusal-schemas.ts";

/** A ban, and how blocked requests are answered. */
export interface HttpBanOptions<Req> extends BanOptions {
  /** The status of blocked requests. Default: the limiter's. */
  readonly status?: number | undefined;
  /** The body for blocked requests. Default: the limiter's. */
  readonly body?: "json" | "problem" | ((decision: Decision, req: Req) => unknown) | undefined;
}

/** The fields of a ban, for strict object schemas. */
export const httpBanShape: Readonly<Record<string, z.ZodType>> = {
  ...banShape,
  status: statusSchema.optional(),
  body: bodySchema.optional(),
};

/** The schema of a ban. */
export const httpBanSchema: z.ZodType = z.strictObject(httpBanShape);
