/** Whether a request is a browser's preflight or any other OPTIONS request: `skip: preflight` leaves them uncounted. */
export function preflight(req: { readonly method?: string | undefined }): boolean {
  return req.method === "OPTIONS";
}
