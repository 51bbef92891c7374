import { hash } from "node:crypto";
import { maxPolicyName } from "@spillway/core";
import { methodsOf, patternOf } from "./fastify.ts";

/** What distinguishes one route from another. */
export interface RouteFacts {
  readonly method: string | readonly string[];
  readonly url: string;
  /** The prefix of the plugin that declares the route. */
  readonly prefix?: string | undefined;
  readonly prefixTrailingSlash?: string | undefined;
  /** Undefined when unknown, because the route was declared before the plugin was loaded. */
  readonly constraints?: object | undefined;
  /** The trailing slashes of the path of its first request, for a route with unknown constraints. */
  readonly slashes?: string | undefined;
}

/**
 * Returns the name of a route: methods, pattern and constraints, with a number from 2 on if only that makes it unique.
 */
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
 * Whether one declaration may have created two routes of one pattern with unknown constraints: a GET and its HEAD, or
 * the root of a plugin with and without a slash.
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
