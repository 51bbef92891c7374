import { type Clock, systemClock } from "@spillway/core";
import { alikeTakes } from "./alike-takes.ts";
import { lifeTimes } from "./kept-state.ts";
import { prelude } from "./prelude.ts";
import { type Script, scriptOf } from "./script.ts";
import type { StateForm } from "./state-form.ts";

/**
 * Answers the script for requests whose charges have these forms; undefined where there are several of them, and too
 * many other scripts are in use.
 */
export type AlikeScripts = (forms: readonly StateForm[]) => Script | undefined;

/** The most scripts for several charges that a store has: Redis keeps each, and sizes of limits multiply. */
const maxMultiScripts = 64;

/** One that was not used for so many milliseconds makes room for another. */
const idle = 60_000;

/** Those for one charge, of all stores: their forms are few. */
const singles = new Map<string, Script>();

interface Kept {
  readonly script: Script;
  /** When it was asked for last. */
  used: number;
}

/** Makes the scripts of a store, when they are asked for. */
export function alikeScripts(clock: Clock = systemClock): AlikeScripts {
  const multi = new Map<string, Kept>();

  /** Makes room for one more, and answers whether there is any. */
  function makeRoom(now: number): boolean {
    if (multi.size < maxMultiScripts) return true;
    const [name, { used }] = [...multi].reduce((a, b) => (b[1].used < a[1].used ? b : a));
    return now - used >= idle && multi.delete(name);
  }

  return (forms) => {
    const name = forms.map((form) => form.name).join();
    if (forms.length === 1) return single(name, forms);
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

function single(name: string, forms: readonly StateForm[]): Script {
  const known = singles.get(name);
  if (known) return known;
  const script = made(forms);
  singles.set(name, script);
  return script;
}

function made(forms: readonly StateForm[]): Script {
  return { ...scriptOf(prelude, lifeTimes, alikeTakes(forms)), forms };
}
