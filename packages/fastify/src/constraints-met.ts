import type { FastifyRequest, HTTPMethods } from "fastify";

/**
 * Finds by a request the constraints of its route, which Fastify tells nobody who was not there when the route was
 * declared: a host and a version that some route of this pattern asks for by these very words. Undefined where there are
 * none, or others.
 */
export function constraintsMet({
  routeOptions,
  server,
  headers,
}: FastifyRequest): object | undefined {
  const { url = "" } = routeOptions;
  const [method] = [routeOptions.method].flat() as HTTPMethods[];
  const host = headers.host ?? headers[":authority"];
  const version = headers["accept-version"];
  const asked = [{ host, version }, { host }, { version }] as const;
  return asked.find(
    (constraints) =>
      !Object.values(constraints).includes(undefined) &&
      server.hasRoute({ url, method: method!, constraints: constraints as Record<string, string> }),
  );
}
