import { checkOptions } from "../check-options.ts";
import { expecting } from "../expecting.ts";
import type { Call } from "./call.ts";
import { type Extractor, extractor, noteFactories } from "./extractor.ts";
import { headerText } from "./header-text.ts";

/**
 * Identifies by a cookie, the first of several of one name, as it was sent. It is what a client merely claims: as with
 * an API key that nobody verified, its address pays too, under a ceiling.
 */
export function cookie(name: string): Extractor {
  const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  checkOptions(
    expecting("the name of a cookie", (v) => typeof v === "string" && token.test(v)),
    name,
  );
  const space = `cookie:${encodeURIComponent(name)}:`;
  return claimed(space, (call) => cookieIn(headerText(call.raw, "cookie") ?? "", name));
}

/** Identifies by a parameter of the query, decoded, the first of several of one name. It is claimed, as a cookie is. */
export function query(name: string): Extractor {
  checkOptions(
    expecting(
      "the name of a parameter",
      (v) => typeof v === "string" && v !== "" && !loneSurrogate.test(v),
    ),
    name,
  );
  const space = `query:${encodeURIComponent(name)}:`;
  return claimed(space, (call) => parameterIn(call.raw.url ?? "", name));
}

/** Identifies by the User-Agent header. It is claimed, as a cookie is. */
export function userAgent(): Extractor {
  return claimed("agent:", (call) => headerText(call.raw, "user-agent"));
}

noteFactories(cookie, query, userAgent);

/** Half a character, of which no UTF-8 can be made. */
const loneSurrogate = /\p{Surrogate}/u;

function claimed(space: string, read: (call: Call) => string | undefined): Extractor {
  return extractor((call) => {
    const text = read(call);
    return text === undefined || text === "" ? undefined : { key: space + text, verified: false };
  });
}

/** RFC 6265, section 4.2.1; quotes around a value are no part of it. */
function cookieIn(text: string, name: string): string | undefined {
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf(";", from);
    const end = found < 0 ? text.length : found;
    const sign = text.indexOf("=", from);
    if (sign >= 0 && sign < end && text.slice(from, sign).trim() === name) {
      const value = text.slice(sign + 1, end).trim();
      return value.length > 1 && value.startsWith('"') && value.endsWith('"')
        ? value.slice(1, -1)
        : value;
    }
    from = end + 1;
  }
  return undefined;
}

function parameterIn(url: string, name: string): string | undefined {
  const start = url.indexOf("?");
  const fragment = url.indexOf("#");
  if (start < 0 || (fragment >= 0 && fragment < start)) return undefined;
  const text = url.slice(start + 1, fragment < 0 ? undefined : fragment);
  return new URLSearchParams(text).get(name) ?? undefined;
}
