import { type Awaitable, firstOf, settled } from "../../awaitable.ts";
import { ConfigError, received } from "../../errors.ts";
import { maskAddress, parseAddress } from "../address/address.ts";
import type { RequestContext } from "../request-context.ts";
import { keyPrefix, type Namespace, namespaceOf } from "./namespace.ts";

/** Whose allowance a request uses. */
export interface Identity {
  readonly key: string;
  /** False if the client merely claims it. */
  readonly verified: boolean;
  /** If unverified: how many units its address may use with all such claims; `false` for no limit. */
  readonly ceiling?: number | false | undefined;
}

/** Finds who a request belongs to, under a namespace of its own. */
export interface Extractor {
  /** Identifies extractors, also across copies of the package. */
  readonly kind: "extractor";
  /**
   * The namespace of all its keys, such as `user`; `text` also for a function's keys, which may have none. Left out if
   * its keys may be in any.
   */
  readonly namespace?: string | undefined;
  /** The extractors it asks: in turn if it has no namespace of its own, else all of them together. */
  readonly parts?: readonly Extractor[] | undefined;
  /** How many bits of an IPv6 address its keys hold, if not as many as the limiter's option says. */
  readonly ipv6Prefix?: number | undefined;
  /** Undefined if this does not identify the request. */
  identify(context: RequestContext): Awaitable<Identity | undefined>;
}

/** A function that returns a request's key; null, undefined and "" if it has none. */
export type KeyFunction<Req> = (req: Req) => Awaitable<string | null | undefined>;

/** The option `key` of a policy. */
export type KeyOption<Req> =
  | Extractor
  | KeyFunction<Req>
  | readonly (Extractor | KeyFunction<Req>)[];

/**
 * Creates an extractor, for use alone or in `join`. Its keys are used as they are: begin them with a namespace that no
 * other has, such as `tenant:`.
 */
export function extractor(identify: Extractor["identify"]): Extractor {
  return Object.freeze({ kind: "extractor", identify });
}

/** Creates an extractor whose keys are all in a namespace. */
export function extractorIn(
  namespace: Namespace,
  identify: Extractor["identify"],
  parts?: readonly Extractor[],
): Extractor {
  return Object.freeze({ kind: "extractor", identify, namespace, parts });
}

/** Whether a value is an extractor, of this copy of the package or another. */
export function isExtractor(value: unknown): value is Extractor {
  const { kind, identify } = (value ?? {}) as Partial<Extractor>;
  return kind === "extractor" && typeof identify === "function";
}

const factories = new WeakSet<object>();

/** Registers functions that create extractors, and are none. */
export function noteFactories(...made: readonly object[]): void {
  for (const factory of made) factories.add(factory);
}

/** Whether a value is a function that creates extractors. */
export function isFactory(value: unknown): boolean {
  return typeof value === "function" && factories.has(value);
}

/** Returns how to call a factory of extractors; "" for anything else. */
export function factoryHint(value: unknown): string {
  if (!isFactory(value)) return "";
  const { name, length } = value as { readonly name: string; readonly length: number };
  return ` (call it: ${name}(${length === 0 ? "" : "…"}))`;
}

/** Returns what to write instead of a string; "" for anything else. */
export function namedHint(value: unknown): string {
  if (typeof value !== "string") return "";
  return /^(?:ip|user|apiKey|route|everyone|userAgent)$/.test(value)
    ? ` (call it: ${value}())`
    : ' (of a header field: header("…"); the same for all: everyone())';
}

/** Compiles the option to one extractor; of a list, the first that identifies a request counts. */
export function extractorOf(option: KeyOption<never>, path: string, whose = ""): Extractor {
  const all = (Array.isArray(option) ? option : [option]) as (Extractor | KeyFunction<unknown>)[];
  const extractors = all.map((one) => (isExtractor(one) ? one : byFunction(one, path, whose)));
  if (extractors.length === 1) return extractors[0]!;
  const identify: Extractor["identify"] = (context) =>
    firstOf(extractors, (one) => one.identify(context));
  return Object.freeze({ kind: "extractor", identify, parts: extractors });
}

/**
 * Checks an identity that was found: a string, or none. Anything else is an error rather than an unintended string,
 * such as `[object Object]` for everyone. `whose` describes the string that was expected, if the path does not.
 */
export function textOf(value: unknown, path: string, whose = ""): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  const expected = `${whose}a string, or null, undefined or "" for none (convert numbers: String(id))`;
  throw new ConfigError([{ path, expected, received: received(value) }]);
}

/**
 * Creates an extractor from a function: its keys are used as they are, unless they could be taken for an extractor's.
 */
export function byFunction(from: KeyFunction<unknown>, path: string, whose = ""): Extractor {
  return extractorIn("text", (context) =>
    settled(from(context.req), (value) => {
      const text = textOf(value, path, whose);
      if (text === undefined) return undefined;
      // IPv6, or a port after an address.
      if (text.includes(":") && isRawAddress(text, context))
        context.warn(rawAddress, rawAddressSeen);
      return { key: isReserved(text) ? keyPrefix("text") + text : text, verified: true };
    }),
  );
}

/** Whether a key is an address as in a socket or header: a client may have many. */
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
