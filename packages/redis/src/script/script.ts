import { createHash } from "node:crypto";
import { algorithms, banning, ConfigError, received } from "@spillway/core";
import { alikeTakes } from "./alike-takes.ts";
import { envelope } from "./envelope.ts";
import { keptEntries } from "./kept-entries.ts";
import { lifeTimes } from "./kept-state.ts";
import { keyErrors } from "./key-errors.ts";
import { packedState } from "./packed-state.ts";
import { prelude } from "./prelude.ts";
import { ringState } from "./ring-state.ts";
import type { StateForm } from "./state-form.ts";
import { toldNumbers } from "./told-numbers.ts";

/** A script of the library, and its SHA-1 as EVALSHA wants it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
  /** What the charges of a request look like in its answers, where it tells them in few numbers. */
  readonly forms?: readonly StateForm[];
}

const known = [...Object.values(algorithms), ...Object.values(banning)];
const twins: readonly string[] = [...new Set(known.map(({ lua }) => lua.table))];

const places: ReadonlyMap<string, number> = new Map(
  known.map(({ name, lua }) => [name, twins.indexOf(lua.table) + 1]),
);

/**
 * Finds where an algorithm's twin stands in the script, from 1; algorithms that decide alike share one. Throws a
 * `ConfigError` for the name of an algorithm that the script does not know.
 */
export function placeOfTwin(algorithm: string): number {
  const place = places.get(algorithm);
  if (place !== undefined) return place;
  const expected = `an algorithm of this library: ${[...places.keys()].join(", ")}`;
  throw new ConfigError([{ path: "algorithm", expected, received: received(algorithm) }]);
}

/** The script for any call. */
export const anyScript: Script = scriptOf(
  prelude,
  keyErrors,
  toldNumbers,
  packedState,
  lifeTimes,
  ringState,
  `local makers = {\n${twins.map((lua) => `function() return ${lua} end`).join(",\n")}\n}`,
  envelope,
  keptEntries,
);

const alike = new Map<string, Script>();

/** The most scripts for several charges that a process makes: Redis keeps each, and sizes of limits multiply. */
const most = 64;
let several = 0;

/** The script for requests whose charges have these forms; undefined where there are too many already. */
export function alikeScript(forms: readonly StateForm[]): Script | undefined {
  const name = forms.map((form) => form.name).join();
  const cached = alike.get(name);
  if (cached !== undefined) return cached;
  if (forms.length > 1 && several++ >= most) return undefined;
  const made = { ...scriptOf(prelude, lifeTimes, alikeTakes(forms)), forms };
  alike.set(name, made);
  return made;
}

/** Joins pieces of Lua, without blanks that say nothing: no text in them holds a comma or an equals sign. */
function scriptOf(...pieces: readonly string[]): Script {
  const text = pieces.join("\n").replace(/^\s+/gm, "").replace(/ = /g, "=").replace(/, /g, ",");
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
