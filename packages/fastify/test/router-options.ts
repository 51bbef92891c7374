import Fastify, { type FastifyServerOptions } from "fastify";

/** Returns the options of an application with these for its router, which were top-level options before release 5.5. */
export function withRouter(
  router: NonNullable<FastifyServerOptions["routerOptions"]>,
  options: FastifyServerOptions = {},
): FastifyServerOptions {
  const [, minor] = Fastify().version.split(".");
  return Number(minor) < 5 ? { ...options, ...router } : { ...options, routerOptions: router };
}
