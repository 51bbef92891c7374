/** Is true for a browser's preflight and any other OPTIONS request: `skip: preflight` leaves them uncounted. */
export function preflight(req: { readonly method?: string | undefined }): boolean {
  return req.method === "OPTIONS";
}
