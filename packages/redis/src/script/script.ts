import { createHash } from "node:crypto";
import type { StateForm } from "./state-form.ts";

/** A script of the library, and its SHA-1 for EVALSHA. */
export interface Script {
  readonly text: string;
  readonly sha: string;
  /** The forms of a request's charges, if replies hold them in bundles. */
  readonly forms?: readonly StateForm[];
}

/** Joins pieces of Lua and drops insignificant blanks: no string in them holds a comma or an equals sign. */
export function scriptOf(...pieces: readonly string[]): Script {
  const text = pieces.join("\n").replace(/^\s+/gm, "").replace(/ = /g, "=").replace(/, /g, ",");
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
