import type { FastifyInstance } from "fastify";
import { type GuardFor, hookOf } from "./hook.ts";
import { configWith } from "./route-config.ts";

/**
 * Adds a limiter's hook behind the own hooks of each route that is declared from now on. All else, not-found requests
 * and earlier routes, it limits by a hook of the instance, which lets the marked routes pass. If another plugin drops
 * the mark, both hooks run, and the guard charges once.
 */
export function addAfterRouteHooks(
  app: FastifyInstance,
  kind: "onRequest" | "preValidation" | "preHandler",
  guardFor: GuardFor,
): void {
  const mark = Symbol("spillway.afterRouteHooks");
  const last = hookOf(guardFor);
  app.addHook("onRoute", (route) => {
    const { [kind]: own = [] } = route;
    // A route that was made from another one already has it.
    const others = [own].flat().filter((hook) => hook !== last);
    route[kind] = [...others, last];
    route.config = configWith(route.config, { [mark]: true });
  });
  const first = hookOf((request) => {
    const config = request.routeOptions.config as { readonly [mark]?: true };
    return config[mark] ? undefined : guardFor(request);
  });
  app.addHook(kind, first);
}
