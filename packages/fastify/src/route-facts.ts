import { hash } from "node:crypto";
import { maxPolicyName } from "@spillway/core";
import { methodsOf, patternOf } from "./fastify.ts";

/** What tells one route from another. */
export interface RouteFacts {
  readonly method: string | readonly string[];
  readonly url: string;
  /** Of the plugin that it stands in. */
  readonly prefix?: string | undefined;
  readonly prefixTrailingSlash?: string | undefined;
  /** Undefined where they are not known, since the route was declared before the plugin was there. */
  readonly constraints?: object | undefined;
  /** The slashes at the end of the path of its first request, where constraints are not known. */
  readonly slashes?: string | undefined;
}

/** Names a route after what is known of it, with a number from 2 on where that alone tells it from another. */
export function nameOf(route: RouteFacts, n = 1): string {
  const { method, constraints = {} } = route;
  const further = Object.entries(constraints).map(([kind, value]) => ` ${kind}=${String(value)}`);
  if (n > 1) further.push(` ${n}`);
  const text = `${methodsOf(method).join(",")} ${patternOf(route)}${further.join("")}`;
  const name = text.replace(/[^\x20-\x7e]+/g, encodeURIComponent);
  if (name.length <= maxPolicyName) return name;
  const digest = hash("sha256", name, "base64url");
  return `${name.slice(0, maxPolicyName - digest.length - 1)}~${digest}`;
}

/**
 * Tells whether one declaration may have made two routes of one pattern, whose constraints are not known: a GET and its
 * HEAD, or the root of a plugin with and without a slash.
 */
export function mayBeOne(first: RouteFacts, second: RouteFacts): boolean {
  if (first.constraints !== undefined) return false;
  const methods = [second.method].flat();
  if (![first.method].flat().some((method) => methods.includes(method))) return true;
  return isRoot(first) && isRoot(second) && first.slashes !== second.slashes;
}

function isRoot(route: RouteFacts): boolean {
  return Boolean(route.prefix) && patternOf(route) === route.prefix;
}
