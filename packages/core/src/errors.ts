import { isPromise } from "./awaitable.ts";

/** One invalid option. */
export interface ConfigIssue {
  /** For example `policies[1].limit`; empty for the options as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * Reports invalid options or arguments; thrown at construction, or during a request if a user's function returned an
 * invalid value. Recognize it by `code`, which works across copies of the package.
 */
export class ConfigError extends TypeError {
  override readonly name = "ConfigError";
  readonly code = "ERR_INVALID_CONFIG";
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(
      issues
        .map(
          ({ path, expected, received }) =>
            `${path === "" ? "options" : path}: expected ${expected}, received ${received}`,
        )
        .join("; "),
    );
    this.issues = issues;
  }
}

/** Reports that a store could not answer; `cause` is the underlying failure. Never means that a limit was reached. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code = "ERR_STORE_UNAVAILABLE";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** Describes a thrown value in one line. Never throws, whatever the value. */
export function errorText(thrown: unknown): string {
  try {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  } catch {
    return "an error that cannot be shown";
  }
}

/** Describes a value for a message, shortened. Never throws. */
export function received(value: unknown): string {
  try {
    return described(value);
  } catch {
    return "a value that cannot be shown";
  }
}

/** Shortens a string for a message; masks URL credentials and password-like parameters. */
function textOf(value: string): string {
  const scheme = value.indexOf("://");
  const from = scheme < 0 ? value.indexOf(":") + 1 : scheme + 3;
  const to = value.lastIndexOf("@");
  const text = from > 0 && to > from ? `${value.slice(0, from)}…${value.slice(to)}` : value;
  return JSON.stringify(
    cut(
      text
        .slice(0, 1000)
        .replace(/((?:passw(?:or)?d|pwd|pass|auth|token|secret)=)[^\s,;&]*/gi, "$1…"),
    ),
  );
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Names the class of an object, if it has its own: regular expressions, dates and maps are objects too. */
function objectText(value: object): string {
  const { name } = value.constructor ?? Object;
  return name !== "Object" && /^[A-Z]\w{1,40}$/.test(name) ? `an instance of ${name}` : "an object";
}

function described(value: unknown): string {
  if (typeof value === "string") return textOf(value);
  if (typeof value === "function") {
    const { name }: { name: unknown } = value;
    return typeof name === "string" && name !== ""
      ? `a function ${name.slice(0, 60)}`
      : "a function";
  }
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isPromise(value)) return "a promise: await it first";
  if (typeof value === "object" && value !== null) return objectText(value);
  return cut(typeof value === "bigint" ? `${value}n` : String(value));
}
