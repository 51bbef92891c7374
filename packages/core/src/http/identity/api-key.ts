import { z } from "zod";
import { type Awaitable, settled } from "../../awaitable.ts";
import { ConfigError, received } from "../../errors.ts";
import { digest } from "../../key.ts";
import { checkIsOptions, checkOptions } from "../../options/check-options.ts";
import { aFunction, expecting } from "../../options/expecting.ts";
import { ceilingSchema } from "../options/http-schemas.ts";
import type { RequestContext } from "../request-context.ts";
import { answerOf, type Question } from "./asked.ts";
import { type Extractor, extractorIn, type Identity, noteFactories } from "./extractor.ts";
import { fieldName, headerText } from "./header-text.ts";
import { keyPrefix } from "./namespace.ts";

const keys = keyPrefix("key");

/** Where the API key is, and who verifies it. */
export interface ApiKeyOptions<Req = unknown> {
  /** The header, or the first present of several: `"authorization"` is read as `Bearer <key>`. Default `x-api-key`. */
  readonly header?: string | readonly string[] | undefined;
  /**
   * Whether a key is one that you issued; null and undefined count as false. Without it, the address pays as well. Called
   * once per request, or, if it has a second parameter, once per request and limiter.
   */
  readonly verify?: ((key: string, req: Req) => Awaitable<boolean | null | undefined>) | undefined;
  /**
   * Without `verify`: units that one address may use with all the keys it sends, or `false`. Default: 10 × the limit.
   */
  readonly unverifiedCeiling?: number | false | undefined;
}

const names = expecting(
  "the name of a header field, or several",
  (v) => typeof v === "string" || (Array.isArray(v) && v.length > 0),
);

const schema = z.strictObject({
  header: names.optional(),
  verify: aFunction.optional(),
  unverifiedCeiling: ceilingSchema.optional(),
});

/** Identifies clients by the API key of a request. Stores only ever see its SHA-256. */
export function apiKey<Req = unknown>(options: ApiKeyOptions<Req> = {}): Extractor {
  checkIsOptions(options, "apiKey(options)", '{ header: "authorization" }');
  const {
    header = "x-api-key",
    unverifiedCeiling: ceiling,
    ...rest
  } = checkOptions(schema, options);
  const fields = Array.isArray(header)
    ? header.map((name, i) => fieldName(name, `header[${i}]`))
    : [fieldName(header, "header")];
  const verify = rest.verify as Question | undefined;
  return extractorIn("key", (context) => {
    const text = textIn(context, fields);
    if (text === undefined) return undefined;
    if (!verify) return { key: apiKeyKey(text), verified: false, ceiling };
    return settled(answerOf(context, verify, text), (known): Identity | undefined =>
      isKnown(known) ? { key: apiKeyKey(text), verified: true } : undefined,
    );
  });
}

noteFactories(apiKey);

/** Anything else, such as a row from a database, would count as a key that nobody issued. */
function isKnown(answer: unknown): boolean {
  if (typeof answer === "boolean") return answer;
  if (answer === undefined || answer === null) return false;
  const expected = "true or false by apiKey({ verify })";
  throw new ConfigError([{ path: "key", expected, received: kindOf(answer) }]);
}

/** Does not show a string: it may be what the key stands for. */
function kindOf(answer: unknown): string {
  return typeof answer === "string" ? "a string" : received(answer);
}

/** Returns the store's key of an API key. */
export function apiKeyKey(text: string): string {
  return keys + digest(text);
}

function textIn(context: RequestContext, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = headerText(context, field);
    const text = field === "authorization" ? bearer(value) : value;
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * Returns the token of `Bearer <token>`: the scheme in any case, blanks around the token are ignored (RFC 6750, 9110).
 */
function bearer(value: string | undefined): string | undefined {
  return value === undefined ? undefined : /^bearer +([^\s,]+) *$/i.exec(value)?.[1];
}
