import { isToken } from "../headers/structured-field.ts";
import type { RequestContext } from "../request-context.ts";
import { checkName } from "./check-name.ts";
import { cookieIn } from "./cookie-in.ts";
import { type Extractor, extractorIn, noteFactories } from "./extractor.ts";
import { headerText } from "./header-text.ts";
import { keyPrefix, type Namespace } from "./namespace.ts";
import { parameterIn } from "./parameter-in.ts";

/**
 * Identifies clients by a cookie as it was sent, the first of several with one name. Clients merely claim it: as with
 * an unverified API key, the address pays too, under a ceiling.
 */
export function cookie(name: string): Extractor {
  checkName(name, "cookie(name)", "the name of a cookie", isToken);
  return claimed("cookie", name, (context) => cookieIn(headerText(context, "cookie") ?? "", name));
}

/**
 * Identifies clients by a query parameter, decoded, the first of several with one name. Merely claimed, like a cookie.
 */
export function query(name: string): Extractor {
  checkName(name, "query(name)", "the name of a parameter");
  return claimed("query", name, (context) => parameterIn(context.raw.url ?? "", name));
}

/** Identifies clients by the User-Agent header. Merely claimed, like a cookie. */
export function userAgent(): Extractor {
  return claimed("agent", undefined, (context) => headerText(context, "user-agent"));
}

noteFactories(cookie, query, userAgent);

function claimed(
  namespace: Namespace,
  name: string | undefined,
  read: (context: RequestContext) => string | undefined,
): Extractor {
  const prefix = keyPrefix(namespace, name && encodeURIComponent(name));
  return extractorIn(namespace, (context) => {
    const text = read(context);
    return text === undefined || text === "" ? undefined : { key: prefix + text, verified: false };
  });
}
