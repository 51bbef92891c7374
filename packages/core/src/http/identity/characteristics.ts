import { isToken } from "../headers/structured-field.ts";
import type { RequestContext } from "../request-context.ts";
import { checkName } from "./check-name.ts";
import { cookieIn } from "./cookie-in.ts";
import { type Extractor, extractorIn, noteFactories } from "./extractor.ts";
import { headerText } from "./header-text.ts";
import { keyPrefix, type Namespace } from "./namespace.ts";
import { parameterIn } from "./parameter-in.ts";

/**
 * Identifies by a cookie, the first of several of one name, as it was sent. It is what a client merely claims: as with
 * an API key that nobody verified, its address pays too, under a ceiling.
 */
export function cookie(name: string): Extractor {
  checkName(name, "cookie(name)", "the name of a cookie", isToken);
  return claimed("cookie", name, (context) => cookieIn(headerText(context, "cookie") ?? "", name));
}

/** Identifies by a parameter of the query, decoded, the first of several of one name. It is claimed, as a cookie is. */
export function query(name: string): Extractor {
  checkName(name, "query(name)", "the name of a parameter");
  return claimed("query", name, (context) => parameterIn(context.raw.url ?? "", name));
}

/** Identifies by the User-Agent header. It is claimed, as a cookie is. */
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
