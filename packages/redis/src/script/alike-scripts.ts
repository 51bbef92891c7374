import { type Clock, systemClock } from "@spillway/core";
import { alikeTakes } from "./alike-takes.ts";
import { lifeTimes } from "./kept-state.ts";
import { prelude } from "./prelude.ts";
import { type Script, scriptOf } from "./script.ts";
import type { StateForm } from "./state-form.ts";

/**
 * Returns the script for requests whose charges have these forms; undefined if there are several forms, and too many
 * other scripts are in use.
 */
export type AlikeScripts = (forms: readonly StateForm[]) => Script | undefined;

/** The most scripts for several charges per store: Redis keeps each, and the sizes of limits multiply. */
const maxMultiScripts = 64;

/** Milliseconds without use after which a script makes room for another. */
const idle = 60_000;

/** Scripts for one charge, shared by all stores: their forms are few. */
const singles = new Map<string, Script>();

interface Kept {
  readonly script: Script;
  /** When it was last used. */
  used: number;
}

/** Creates the scripts of a store on demand. */
export function alikeScripts(clock: Clock = systemClock): AlikeScripts {
  const multi = new Map<string, Kept>();

  /** Makes room for one more script. Returns whether there is any. */
  function makeRoom(now: number): boolean {
    if (multi.size < maxMultiScripts) return true;
    const [name, { used }] = [...multi].reduce((a, b) => (b[1].used < a[1].used ? b : a));
    return now - used >= idle && multi.delete(name);
  }

  return (forms) => {
    if (forms.length === 1) return single(forms[0]!);
    const name = forms.map((form) => form.name).join();
    const now = clock();
    const known = multi.get(name);
    if (known) {
      known.used = now;
      return known.script;
    }
    if (!makeRoom(now)) return undefined;
    const script = made(forms);
    multi.set(name, { script, used: now });
    return script;
  };
}

function single(form: StateForm): Script {
  const known = singles.get(form.name);
  if (known) return known;
  const script = made([form]);
  singles.set(form.name, script);
  return script;
}

function made(forms: readonly StateForm[]): Script {
  return { ...scriptOf(prelude, lifeTimes, alikeTakes(forms)), forms };
}
