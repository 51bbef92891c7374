import { envelope } from "./envelope.ts";
import { keptEntries } from "./kept-entries.ts";
import { lifeTimes } from "./kept-state.ts";
import { keyErrors } from "./key-errors.ts";
import { packedState } from "./packed-state.ts";
import { prelude } from "./prelude.ts";
import { ringState } from "./ring-state.ts";
import { type Script, scriptOf } from "./script.ts";
import { toldNumbers } from "./told-numbers.ts";
import { twins } from "./twins.ts";

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
