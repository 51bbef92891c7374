import { claimsOf } from "../../http/identity/claims-of.ts";
import { cookieIn } from "../../http/identity/cookie-in.ts";
import { parameterIn } from "../../http/identity/parameter-in.ts";
import type { SourceData } from "../schema/source-data.ts";

/** What is read of a request, be it Express's, Fastify's, Koa's context or Node's own. */
interface Readable {
  readonly method?: unknown;
  readonly url?: unknown;
  readonly originalUrl?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly user?: unknown;
  readonly auth?: unknown;
  readonly state?: { readonly user?: unknown };
}

/** Reads a string of a request; undefined when absent. Numbers and booleans are converted. */
export type ReadSource = (req: unknown) => string | undefined;

/** Creates the reader of a source other than one of the application's functions. */
export function readerOf(data: Exclude<SourceData, { readonly use: string }>): ReadSource {
  if (data === "method") return (req) => text((req as Readable).method);
  if (data === "identity") {
    return (req) => (userOf(req as Readable) === undefined ? "anonymous" : "user");
  }
  if ("header" in data) {
    const name = data.header.toLowerCase();
    return (req) => text([own((req as Readable).headers, name)].flat()[0]);
  }
  if ("query" in data) {
    return (req) => {
      const { originalUrl, url } = req as Readable;
      return text(parameterIn(String(originalUrl ?? url ?? ""), data.query));
    };
  }
  if ("cookie" in data) {
    return (req) =>
      text(cookieIn(String(own((req as Readable).headers, "cookie") ?? ""), data.cookie));
  }
  if ("claim" in data) {
    return (req) => {
      const { auth } = req as Readable;
      return text(own(claimsOf(auth) ?? userOf(req as Readable), data.claim));
    };
  }
  const way = data.user.split(".");
  return (req) => text(way.reduce<unknown>(own, userOf(req as Readable)));
}

/** Returns the authenticated user, from wherever the three frameworks keep it. */
function userOf({ user, state }: Readable): unknown {
  return user ?? state?.user ?? undefined;
}

function own(from: unknown, name: string): unknown {
  const held = typeof from === "object" && from !== null && Object.hasOwn(from, name);
  return held ? (from as Readonly<Record<string, unknown>>)[name] : undefined;
}

function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
