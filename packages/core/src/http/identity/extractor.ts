import { type Awaitable, firstOf, settled } from "../../awaitable.ts";
import { ConfigError, received } from "../../errors.ts";
import { maskAddress, parseAddress } from "../address/address.ts";
import type { RequestContext } from "../request-context.ts";
import { keyPrefix, type Namespace, namespaceOf } from "./namespace.ts";

/** Whose allowance a request uses. */
export interface Identity {
  readonly key: string;
  /** False for what a client merely claims. */
  readonly verified: boolean;
  /** Of an unverified one: how many units its address may use with all such claims; `false`: as many as it likes. */
  readonly ceiling?: number | false | undefined;
}

/** Finds whose a request is, under a namespace of its own. */
export interface Extractor {
  /** Tells an extractor apart, also across copies of the package. */
  readonly kind: "extractor";
  /**
   * The namespace that all its keys stand in, such as `user`; `text` also for those that a function made and that stand
   * in none. Left out where they may stand in any.
   */
  readonly namespace?: string | undefined;
  /** What it asks: one after another without a namespace of its own, else all of them together. */
  readonly parts?: readonly Extractor[] | undefined;
  /** Undefined: not by this. */
  identify(context: RequestContext): Awaitable<Identity | undefined>;
}

/** What a user's function of the request answers; null, undefined and "" mean: not by this. */
export type KeyFunction<Req> = (req: Req) => Awaitable<string | null | undefined>;

/** The option `key` of a policy. */
export type KeyOption<Req> =
  | Extractor
  | KeyFunction<Req>
  | readonly (Extractor | KeyFunction<Req>)[];

/**
 * Makes an extractor, to stand alone or in `join`. Its keys stand as they are: begin them with a namespace that no
 * other has, such as `tenant:`.
 */
export function extractor(identify: Extractor["identify"]): Extractor {
  return Object.freeze({ kind: "extractor", identify });
}

/** Makes an extractor of which all keys stand in a namespace. */
export function extractorIn(
  namespace: Namespace,
  identify: Extractor["identify"],
  parts?: readonly Extractor[],
): Extractor {
  return Object.freeze({ kind: "extractor", identify, namespace, parts });
}

/** Tells an extractor, of this copy of the package or another, from anything else. */
export function isExtractor(value: unknown): value is Extractor {
  const { kind, identify } = (value ?? {}) as Partial<Extractor>;
  return kind === "extractor" && typeof identify === "function";
}

const factories = new WeakSet<object>();

/** Notes functions that make extractors, and are none themselves. */
export function noteFactories(...made: readonly object[]): void {
  for (const factory of made) factories.add(factory);
}

export function isFactory(value: unknown): boolean {
  return typeof value === "function" && factories.has(value);
}

/** Says how to call what makes extractors; "" of anything else. */
export function factoryHint(value: unknown): string {
  if (!isFactory(value)) return "";
  const { name, length } = value as { readonly name: string; readonly length: number };
  return ` (call it: ${name}(${length === 0 ? "" : "…"}))`;
}

/** Says what to write in place of a string; "" of anything else. */
export function namedHint(value: unknown): string {
  if (typeof value !== "string") return "";
  return /^(?:ip|user|apiKey|route|everyone|userAgent)$/.test(value)
    ? ` (call it: ${value}())`
    : ' (of a header field: header("…"); the same for all: everyone())';
}

/** Turns the option into one extractor: the first of a list that answers. */
export function extractorOf(option: KeyOption<never>, path: string, whose = ""): Extractor {
  const all = (Array.isArray(option) ? option : [option]) as (Extractor | KeyFunction<unknown>)[];
  const extractors = all.map((one) => (isExtractor(one) ? one : byFunction(one, path, whose)));
  if (extractors.length === 1) return extractors[0]!;
  const identify: Extractor["identify"] = (context) =>
    firstOf(extractors, (one) => one.identify(context));
  return Object.freeze({ kind: "extractor", identify, parts: extractors });
}

/**
 * Checks what was found as an identity: text, or nothing. Anything else is an error rather than a string nobody meant,
 * such as `[object Object]` for everybody. `whose` says what the text should have been, where the path does not.
 */
export function textOf(value: unknown, path: string, whose = ""): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  const expected = `${whose}a string, or null, undefined or "" for none (convert numbers: String(id))`;
  throw new ConfigError([{ path, expected, received: received(value) }]);
}

/** Makes an extractor of a function: its keys stand as they are, unless they could be taken for an extractor's. */
export function byFunction(from: KeyFunction<unknown>, path: string, whose = ""): Extractor {
  return extractorIn("text", (context) =>
    settled(from(context.req), (value) => {
      const text = textOf(value, path, whose);
      if (text === undefined) return undefined;
      // IPv6, or a port behind an address
      if (text.includes(":") && isRawAddress(text, context))
        context.warn(rawAddress, rawAddressSeen);
      return { key: isReserved(text) ? keyPrefix("text") + text : text, verified: true };
    }),
  );
}

/** Whether a key is an address as a socket or a header has it, of which one client has many. */
function isRawAddress(key: string, { ipv6Prefix }: RequestContext): boolean {
  const address = parseAddress(key);
  return address !== undefined && maskAddress(address, ipv6Prefix) !== key;
}

const rawAddress = "SPILLWAY_RAW_ADDRESS";
const rawAddressSeen =
  "A key function answered an address as it stands, so that a client with a network of IPv6 addresses, or a new port for each connection, gets a new count each time. Use ip(), or of another address keyOf.ip(address).";

function isReserved(key: string): boolean {
  return namespaceOf(key) !== undefined || key === "everyone" || key.startsWith("#");
}
