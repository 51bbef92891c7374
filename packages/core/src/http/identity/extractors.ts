import { z } from "zod";
import { type Awaitable, allOf, settled } from "../../awaitable.ts";
import { received } from "../../errors.ts";
import { checkIsOptions, checkOptions } from "../../options/check-options.ts";
import { aFunction, isFunction } from "../../options/expecting.ts";
import { addressKey } from "../request-context.ts";
import { claimPrefix } from "./claim-prefix.ts";
import {
  type Extractor,
  extractor,
  extractorIn,
  extractorOf,
  factoryHint,
  type Identity,
  isExtractor,
  isFactory,
  type KeyOption,
  noteFactories,
  textOf,
} from "./extractor.ts";
import { fieldName, headerText } from "./header-text.ts";
import { joinedKey } from "./joined-key.ts";
import { keyPrefix } from "./namespace.ts";
import { prefixesSchema } from "./prefixes.ts";

const users = keyPrefix("user");
const routes = keyPrefix("route");

/** How much of an address identifies a client. */
export interface IpOptions {
  /** How many bits of an IPv4 address identify a client, 8 to 32. Default 32. */
  readonly ipv4Prefix?: number | undefined;
  /** How many bits of an IPv6 address identify a client, 32 to 128. Default: the limiter's. */
  readonly ipv6Prefix?: number | undefined;
}

/** Identifies clients by address, or by the network that the prefix says. Identifies every request. */
export function ip(options: IpOptions = {}): Extractor {
  checkIsOptions(options, "ip(options)", "{ ipv4Prefix: 24 }");
  const { ipv4Prefix, ipv6Prefix } = checkOptions(prefixesSchema, options);
  const extractor = extractorIn("ip", (context) => ({
    key: addressKey(context.address(), ipv6Prefix ?? context.ipv6Prefix, ipv4Prefix),
    verified: true,
  }));
  return ipv6Prefix === undefined ? extractor : Object.freeze({ ...extractor, ipv6Prefix });
}

/** Where the id of a user is. */
export interface UserOptions<Req = unknown> {
  /** Returns the user's id; null, undefined and "" mean that nobody is signed in. */
  readonly from?: ((req: Req) => Awaitable<string | null | undefined>) | undefined;
}

/**
 * Identifies clients by the authenticated user: by default the `id` of Express's `req.user`, Fastify's `request.user`,
 * Koa's `ctx.state.user`. An id must be a string; convert a number in `from`.
 */
export function user<Req = unknown>(options: UserOptions<Req> = {}): Extractor {
  checkIsOptions(options, "user(options)", "{ from: (req) => … }");
  const checked = checkOptions(z.strictObject({ from: aFunction.optional() }), options);
  const from = checked.from as ((req: unknown) => unknown) | undefined;
  if (!from) {
    return extractorIn("user", ({ framework, req }) =>
      identity(users, textOf(idOf(framework.user(req)), "key", "the user's id by user() as ")),
    );
  }
  return extractorIn("user", (context) =>
    settled(from(context.req), (id) => identity(users, textOf(id, "key", "from user({ from }) "))),
  );
}

/** Identifies clients by a header field that they cannot choose, or whose choice does not matter. */
export function header(name: string): Extractor {
  const field = fieldName(name, "header(name)");
  const prefix = keyPrefix("header", field);
  return extractorIn("header", (context) => identity(prefix, headerText(context, field)));
}

/** Identifies clients by a claim of a token that earlier middleware verified, such as `jwtClaim("sub")`. */
export function jwtClaim(name: string): Extractor {
  const prefix = claimPrefix(name, "jwtClaim(name)");
  const whose = `the claim by jwtClaim(${received(name)}) as `;
  return extractorIn("claim", (context) => {
    const claims = context.framework.claims(context.req);
    const own = typeof claims === "object" && claims !== null && Object.hasOwn(claims, name);
    const value = own ? (claims as Record<string, unknown>)[name] : undefined;
    return identity(prefix, textOf(value, "key", whose));
  });
}

/**
 * Identifies requests by method and pattern of the matched route, HEAD as GET; not those without a matched route yet.
 */
export function route(): Extractor {
  return extractorIn("route", ({ raw, req, framework }) => {
    const pattern = framework.route(req);
    if (pattern === undefined) return undefined;
    // A method override may be in any case, and some routers fold it.
    const answered = framework.methods?.(req) ?? [raw.method?.toUpperCase()];
    const methods = new Set(answered.map((method) => (method === "HEAD" ? "GET" : method)));
    return identity(routes, `${[...methods].join(",")} ${pattern}`);
  });
}

/** Counts everyone as one client. */
export function everyone(): Extractor {
  return extractor(() => ({ key: "everyone", verified: true }));
}

/**
 * Identifies clients by all parts together: extractors, functions of the request, or lists of these; only if every part
 * identifies the request. Different parts never give the same key.
 */
export function join<Req = unknown>(...given: KeyOption<Req>[]): Extractor {
  const one = 'an extractor, such as ip() or header("x-tenant"), or a function of the request';
  checkOptions(
    z.array(z.custom(isPart, { error: partError(`${one}, or a list of these`) })).min(2),
    given,
    "join(parts)",
  );
  for (const [i, part] of given.entries()) {
    if (!Array.isArray(part)) continue;
    const listed = z.array(z.custom(isSinglePart, { error: partError(one) })).min(1);
    checkOptions(listed, [...part], `join(parts)[${i}]`);
  }
  const parts = given.map((part, i) =>
    extractorOf(part as KeyOption<never>, "key", `from part ${i + 1} of join `),
  );
  return extractorIn(
    "join",
    (context) =>
      settled(
        allOf(parts, (part) => part.identify(context)),
        (found) => found && together(found),
      ),
    parts,
  );
}

noteFactories(ip, user, header, jwtClaim, route, everyone, join);

function together(parts: readonly Identity[]): Identity {
  const claimed = parts.find(({ verified }) => !verified);
  return {
    key: joinedKey(parts.map(({ key }) => key)),
    verified: claimed === undefined,
    ceiling: claimed?.ceiling,
  };
}

function isPart(value: unknown): boolean {
  return Array.isArray(value) || isSinglePart(value);
}

function isSinglePart(value: unknown): boolean {
  return isFunction(value) ? !isFactory(value) : isExtractor(value);
}

function partError(expected: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => expected + factoryHint(input);
}

function identity(prefix: string, text: string | undefined): Identity | undefined {
  return text === undefined ? undefined : { key: prefix + text, verified: true };
}

function idOf(user: unknown): unknown {
  return typeof user === "object" && user !== null ? (user as { id?: unknown }).id : undefined;
}
