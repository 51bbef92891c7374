import type { FastifyContextConfig } from "fastify";

/**
 * Copies a route's config, since routes may share one object, and adds values. Keeps its class; Fastify spreads it,
 * which loses accessors of a class.
 */
export function configWith(
  config: FastifyContextConfig | undefined,
  values: Readonly<Record<PropertyKey, unknown>>,
): FastifyContextConfig {
  const from = config ?? {};
  return Object.create(Object.getPrototypeOf(from), {
    ...Object.getOwnPropertyDescriptors(from),
    ...Object.getOwnPropertyDescriptors(values),
  }) as FastifyContextConfig;
}
