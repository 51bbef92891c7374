import { createHash } from "node:crypto";
import { algorithms, banning, ConfigError } from "@spillway/core";
import { envelope } from "./envelope.ts";
import { packedState } from "./packed-state.ts";
import { ringState } from "./ring-state.ts";

/** The one script of the library, and its SHA-1 as EVALSHA wants it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

const known = [...Object.values(algorithms), ...Object.values(banning)];
const twins: readonly string[] = [...new Set(known.map(({ lua }) => lua))];

const places: ReadonlyMap<string, number> = new Map(
  known.map(({ name, lua }) => [name, twins.indexOf(lua) + 1]),
);

/**
 * Finds where an algorithm's twin stands in the script, from 1; algorithms that decide alike share one. Throws a
 * `ConfigError` for the name of an algorithm that the script does not know.
 */
export function twinOf(algorithm: string): number {
  const place = places.get(algorithm);
  if (place !== undefined) return place;
  const expected = `an algorithm of this library: ${[...places.keys()].join(", ")}`;
  throw new ConfigError([{ path: "algorithm", expected, received: algorithm }]);
}

export const script: Script = scriptOf(twins);

/** Splices the twins in as functions, so that a call makes only those that it needs; indentation is left out. */
function scriptOf(twins: readonly string[]): Script {
  const makers = twins.map((lua) => `function() return ${lua} end`);
  const whole = `local makers = {\n${makers.join(",\n")}\n}\n${packedState}${ringState}${envelope}`;
  const text = whole.replace(/^ +/gm, "");
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
