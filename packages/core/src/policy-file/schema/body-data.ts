import { z } from "zod";
import {
  aSendableField,
  aSendableStatus,
  isSendableField,
  isSendableStatus,
} from "../../http/response/sendable.ts";
import { meantHint } from "../../options/or-meant.ts";
import { type FunctionData, use } from "./function-data.ts";
import { checkHoles, hasHole } from "./holes.ts";
import { object, saying, whole } from "./leaf.ts";
import { schemaFor } from "./schema-for.ts";

/** The body of a refusal. */
export type BodyData = "json" | "problem" | { readonly value: unknown } | FunctionData;

const names = ["json", "problem"] as const;

function bodyHint(value: unknown): string {
  const isOwn = typeof value === "string" || (typeof value === "object" && value !== null);
  return meantHint(value, names) || (isOwn ? " (of an answer of your own: { value: … })" : "");
}

export const body: z.ZodType<BodyData> = schemaFor<BodyData>()(
  z.union(
    [
      z.enum(names),
      object({
        value: z.unknown().superRefine(checkHoles).meta({
          description:
            'A string is sent as it is, anything else as JSON. In its texts "{retryAfter}" (seconds), "{limit}", "{remaining}" and "{policy}" are filled in; alone in a string they keep their type.',
        }),
      }),
      use,
    ],
    { error: saying('"json", "problem", a value ({ "value": … }), or use', bodyHint) },
  ),
).meta({ id: "body" });

/** A response sent instead of a refusal. */
export interface AnswerData {
  readonly answer: {
    readonly status?: number | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: unknown;
  };
}

function sendable(headers: Readonly<Record<string, string>>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(headers)) {
    const message = !isSendableField(name, value)
      ? aSendableField
      : hasHole(value)
        ? "a string without braces, which are filled in only in a body"
        : undefined;
    if (message !== undefined) context.addIssue({ code: "custom", message, path: [name] });
  }
}

export const answer: z.ZodType<AnswerData> = schemaFor<AnswerData>()(
  object({
    answer: object({
      status: whole(200, 599).refine(isSendableStatus, { error: aSendableStatus }).optional(),
      headers: z
        .record(z.string(), z.string({ error: "a string" }))
        .superRefine(sendable)
        .optional(),
      body: z.unknown().superRefine(checkHoles).optional(),
    }),
  }),
);
