import { apiKey } from "../../http/identity/api-key.ts";
import { cookie, query, userAgent } from "../../http/identity/characteristics.ts";
import {
  type Extractor,
  extractorIn,
  extractorOf,
  type KeyOption,
} from "../../http/identity/extractor.ts";
import {
  everyone,
  header,
  ip,
  join,
  jwtClaim,
  route,
  user,
} from "../../http/identity/extractors.ts";
import { keyPrefix } from "../../http/identity/namespace.ts";
import type { KeyData, KeyPartData } from "../schema/key-data.ts";
import type { FunctionOf } from "./function-book.ts";
import { readerOf } from "./source-reader.ts";

type Path = readonly PropertyKey[];

/** Converts a file's `key` to the option in code. Throws a `ConfigError` for invalid header names. */
export function keyOptionOf(data: KeyData, path: Path, functionOf: FunctionOf): unknown {
  if (!Array.isArray(data)) return entryOf(data as Exclude<KeyData, readonly unknown[]>, path);
  return data.map((entry, i) => entryOf(entry, [...path, i]));

  function entryOf(entry: Exclude<KeyData, readonly unknown[]>, at: Path): unknown {
    if (typeof entry === "string" || !("join" in entry)) return partOf(entry, at);
    return join(
      ...entry.join.map((part, i) => {
        const place = [...at, "join", i];
        const found = isList(part)
          ? part.map((one, j) => partOf(one, [...place, j]))
          : partOf(part, place);
        return extractorOf(found as KeyOption<never>, "key");
      }),
    );
  }

  function partOf(part: KeyPartData, at: Path): Extractor | ((req: unknown) => unknown) {
    if (typeof part === "string") return plain[part]();
    if ("use" in part) return functionOf(part, at) as (req: unknown) => unknown;
    if ("ip" in part) return ip(part.ip);
    if ("header" in part) return header(part.header);
    if ("cookie" in part) return cookie(part.cookie);
    if ("query" in part) return query(part.query);
    if ("claim" in part) return jwtClaim(part.claim);
    if ("apiKey" in part) {
      const { verify, ...rest } = part.apiKey;
      const known = verify && { verify: functionOf(verify, [...at, "apiKey", "verify"]) as never };
      return apiKey({ ...rest, ...known });
    }
    if (typeof part.user === "string") return byProperty(part.user);
    return user({ from: functionOf(part.user, [...at, "user"]) as never });
  }
}

/** `Array.isArray` for readonly arrays. */
function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

const plain: Readonly<Record<Extract<KeyPartData, string>, () => Extractor>> = {
  ip: () => ip(),
  user: () => user(),
  apiKey: () => apiKey(),
  route,
  everyone,
  userAgent,
};

/** No claim has such a key: an encoded name never contains a slash. */
function byProperty(name: string): Extractor {
  const prefix = keyPrefix("claim", `user/${encodeURIComponent(name)}`);
  const read = readerOf({ user: name });
  return extractorIn("claim", ({ req }) => {
    const text = read(req);
    return text === undefined ? undefined : { key: prefix + text, verified: true };
  });
}
