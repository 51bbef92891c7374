/** The parts of a request that show whether it has a body: its fields, and on HTTP/2 its stream. */
interface Sent {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly raw?: unknown;
  readonly req?: unknown;
}

interface Http2Request {
  readonly httpVersionMajor?: unknown;
  readonly stream?: { readonly endAfterHeaders?: unknown };
}

/** Whether a request has a body (RFC 9112, section 6.3; HTTP/2 needs no field for it: RFC 9113, section 8.1). */
export function wasBodySent(carrier: Sent): boolean {
  const { headers = {} } = carrier;
  const length = headers["content-length"];
  if (length !== undefined) return Number(length) > 0;
  if (headers["transfer-encoding"] !== undefined) return true;
  const { httpVersionMajor, stream } = (carrier.raw ?? carrier.req ?? carrier) as Http2Request;
  return Number(httpVersionMajor) >= 2 && stream !== undefined && stream.endAfterHeaders !== true;
}
