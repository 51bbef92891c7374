/**
 * Returns the claims of what authentication leaves at `req.auth`: the claims themselves, or the `payload` beside the
 * token's text and header, as express-oauth2-jwt-bearer has them.
 */
export function claimsOf(auth: unknown): unknown {
  const { token, header, payload } = (auth ?? {}) as Readonly<Record<string, unknown>>;
  return typeof token === "string" && typeof header === "object" ? payload : auth;
}
