/** What is read here of an application; its routers are private to Express, and alike in both majors. */
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
 * Tells under which paths the routers above a route are mounted: as the client wrote them where they are fixed, in
 * lower case, and by their patterns where the client may write what it likes. Express itself keeps only the former,
 * in `req.baseUrl`. Where the routers cannot be found, the answer is that.
 */
export function mountPattern(app: unknown, route: unknown, baseUrl: string): string {
  if (baseUrl === "") return "";
  try {
    return patternIn(app as App, route, baseUrl) ?? baseUrl.toLowerCase();
  } catch {
    return baseUrl.toLowerCase();
  }
}

/** No application nests routers deeper; one that is mounted within itself has no end. */
const maxDepth = 16;

function patternIn(app: App, route: unknown, baseUrl: string): string | undefined {
  // Express 4 throws where one asks for `router`.
  const stack = (app._router ?? app.router)?.stack ?? [];
  if (!app.parent) return patternTo(route, stack, baseUrl, maxDepth);
  // Which part of the path leads to a mounted application is not kept: what its own routers leave.
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

/** The beginning of a path that a layer matches. */
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
 * Stands for a pattern that the router does not keep, as that of Express 5 did not before its release 2.3: the place
 * among its neighbours, where the client may write what it likes.
 */
function placeOf(layer: Layer, path: string, at: number): string | undefined {
  const { params } = layer.slash ? {} : (matchOf(layer, path) ?? {});
  // Those of a path have no prototype; those of an expression have one, and nobody knows what it takes.
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
