import { createHash } from "node:crypto";
import type { StateForm } from "./state-form.ts";

/** A script of the library, and its SHA-1 as EVALSHA wants it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
  /** What the charges of a request look like in its answers, where it tells them in few numbers. */
  readonly forms?: readonly StateForm[];
}

/** Joins pieces of Lua, without blanks that say nothing: no text in them holds a comma or an equals sign. */
export function scriptOf(...pieces: readonly string[]): Script {
  const text = pieces.join("\n").replace(/^\s+/gm, "").replace(/ = /g, "=").replace(/, /g, ",");
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
