/** What tells whether a request has a body: its fields, and on HTTP/2 its stream. */
interface Sent {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly raw?: unknown;
  readonly req?: unknown;
}

interface Http2Request {
  readonly httpVersionMajor?: unknown;
  readonly stream?: { readonly endAfterHeaders?: unknown };
}

/** Whether a request came with a body (RFC 9112, section 6.3; on HTTP/2, RFC 9113, section 8.1, it needs no field for it). */
export function wasBodySent(carrier: Sent): boolean {
  const { headers = {} } = carrier;
  const length = headers["content-length"];
  if (length !== undefined) return Number(length) > 0;
  if (headers["transfer-encoding"] !== undefined) return true;
  const { httpVersionMajor, stream } = (carrier.raw ?? carrier.req ?? carrier) as Http2Request;
  return Number(httpVersionMajor) >= 2 && stream !== undefined && stream.endAfterHeaders !== true;
}
