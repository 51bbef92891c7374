/** The parts of an application that are read here. Its routers are private to Express, and alike in both majors. */
interface App {
  readonly _router?: Router;
  readonly router?: Router;
  readonly parent?: App;
  readonly mountpath?: unknown;
}

interface Router {
  readonly stack?: readonly Layer[];
}

interface Layer {
  readonly route?: unknown;
  readonly handle?: Router;
  /** Express 5. */
  readonly slash?: boolean;
  readonly rawPath?: unknown;
  readonly matchers?: readonly ((path: string) => Match | false)[];
  /** Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean };
}

interface Match {
  readonly path: string;
  readonly params?: object;
}

/**
 * Returns the mount path of the routers above a route: fixed parts as the client wrote them, in lower case, and parts
 * that the client can vary as their patterns. Express keeps only the actual path, in `req.baseUrl`; that is used, in
 * lower case, when the routers cannot be found.
 */
export function mountPattern(app: unknown, route: unknown, baseUrl: string): string {
  if (baseUrl === "") return "";
  try {
    return patternIn(app as App, route, baseUrl) ?? baseUrl.toLowerCase();
  } catch {
    return baseUrl.toLowerCase();
  }
}

/** Deeper than any application nests routers. A router mounted within itself would never end. */
const maxDepth = 16;

function patternIn(app: App, route: unknown, baseUrl: string): string | undefined {
  // In Express 4, reading `router` throws.
  const stack = (app._router ?? app.router)?.stack ?? [];
  if (!app.parent) return patternTo(route, stack, baseUrl, maxDepth);
  // Express does not record which part of the path leads to a mounted application: what its routers leave.
  for (let at = baseUrl.length; at >= 0; at = at === 0 ? -1 : baseUrl.lastIndexOf("/", at - 1)) {
    const inner = patternTo(route, stack, baseUrl.slice(at), maxDepth);
    if (inner !== undefined) return mountOf(app, baseUrl.slice(0, at)) + inner;
  }
  return undefined;
}

function mountOf(app: App, path: string): string {
  let declared = "";
  for (let at: App | undefined = app; at?.parent; at = at.parent) {
    declared = (at.mountpath === "/" ? "" : String(at.mountpath)) + declared;
  }
  return chosen(declared, path);
}

function patternTo(
  route: unknown,
  stack: readonly Layer[],
  path: string,
  depth: number,
): string | undefined {
  for (const [at, layer] of stack.entries()) {
    if (layer.route !== undefined) {
      if (layer.route === route && path === "") return "";
      continue;
    }
    const inner = layer.handle?.stack;
    if (inner === undefined || depth === 0) continue;
    const text = matchedBy(layer, path);
    if (text === undefined) continue;
    const rest = patternTo(route, inner, path.slice(text.length), depth - 1);
    if (rest !== undefined)
      return chosen(declaredBy(layer) ?? placeOf(layer, path, at), text) + rest;
  }
  return undefined;
}

/** Returns the beginning of a path that a layer matches. */
function matchedBy(layer: Layer, path: string): string | undefined {
  const { slash, regexp } = layer;
  if (slash || regexp?.fast_slash) return "";
  const found = matchOf(layer, path)?.path ?? regexp?.exec(path)?.[0];
  const text = found?.replace(/\/$/, "");
  return text !== undefined && path.startsWith(text) ? text : undefined;
}

function matchOf({ matchers }: Layer, path: string): Match | undefined {
  return matchers?.map((matcher) => matcher(path)).find(Boolean) || undefined;
}

/**
 * Stands in for a pattern the router does not keep (Express 5's before its release 2.3) where the client can vary the
 * path: the layer's index among its neighbours.
 */
function placeOf(layer: Layer, path: string, at: number): string | undefined {
  const { params } = layer.slash ? {} : (matchOf(layer, path) ?? {});
  // Params of a path have no prototype; those of a regular expression have one, and what it matches is unknown.
  const fixed =
    params && Object.getPrototypeOf(params) === null && Object.keys(params).length === 0;
  return params === undefined || fixed ? undefined : `/(${at})`;
}

function declaredBy({ rawPath, regexp }: Layer): unknown {
  if (rawPath !== undefined || regexp === undefined) return rawPath;
  const fixed = /^\^(.*)\\\/\?\(\?=\\\/\|\$\)$/.exec(regexp.source)?.[1];
  const text = fixed?.replace(/\\(.)/g, "$1");
  return text ?? regexp.source;
}

function chosen(declared: unknown, text: string): string {
  const folded = text.toLowerCase();
  if (declared === undefined) return folded;
  return String(declared).replace(/\/$/, "").toLowerCase() === folded ? folded : String(declared);
}
