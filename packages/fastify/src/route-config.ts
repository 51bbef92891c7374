import type { FastifyContextConfig } from "fastify";

/**
 * Copies a route's config, since routes may share one object, and adds values. Keeps its class; Fastify spreads it,
 * which loses accessors of a class.
 */
export function configWith(
  config: FastifyContextConfig = {},
  values: Readonly<Record<PropertyKey, unknown>>,
): FastifyContextConfig {
  return Object.create(Object.getPrototypeOf(config), {
    ...Object.getOwnPropertyDescriptors(config),
    ...Object.getOwnPropertyDescriptors(values),
  }) as FastifyContextConfig;
}
