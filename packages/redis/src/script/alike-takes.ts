import { keepState } from "./kept-state.ts";
import { keyErrors } from "./key-errors.ts";
import { mostPacked, packedState, packingOf } from "./packed-state.ts";
import { countsRefused, isShadow } from "./policy-code.ts";
import { bundled, type StateForm } from "./state-form.ts";
import { toldNumbers } from "./told-numbers.ts";

/**
 * Returns the script for most calls: requests with the same charges, on different keys, taken and kept. `forms` are
 * those of a request's charges, in order. It does what the envelope does for each request, only for these algorithms
 * and formats of states, at half the cost, or less if keys differ. It follows the prelude and the times to live. Not
 * for rings, which are read in pieces.
 *
 * States in other than the usual widths are read too, and larger numbers are written in the width they need. The code
 * for that is created only when needed, and code used once is not a function: a function, and every local that it uses,
 * costs each call more than most of what they do.
 *
 * KEYS: those of each request, in order. ARGV[1], a JSON list: `until, from, policies`, and for each key `policy,
 * cost`, where a policy is what `policyCode` writes. Returns the time, then for each key the bundles of its form, or
 * -2, whether its charge fits, and its report; or for a failed request -1 and a message. A failed request changes
 * nothing and does not affect others, even if Redis refuses to write what passes. Twins never fail, whatever numbers a
 * state holds: only reading and reporting are guarded.
 */
export function alikeTakes(forms: readonly StateForm[]): string {
  /** Writes some Lua for each charge of a request, with every `@` replaced by its number. */
  const each = (lua: (form: StateForm) => string, between = "\n"): string =>
    forms.map((form, i) => lua(form).replaceAll("@", String(i + 1))).join(between);
  const several = forms.length > 1;
  const twins = new Map(forms.map((form) => [form.place, form]));
  return `
local function rarely()
  ${keyErrors}${toldNumbers}${packedState}
  return function(key, text, n)
    return unpacked(key, answered(key, text), n)
  end, function(key, s, n, out, at)
    told(s, n, key, out, at)
    return packed(s, n)
  end, same
end
local reads, tells, same

${[...twins.values()].map(functionsOf).join("")}
local policies, at = input[3], 1
local out = { now < ${2 ** 52} and now or string.format('%.0f', now) }
for i = 1, #KEYS, ${forms.length} do
  local before, problem = at, nil
  ${each(read)}
  if not problem then
    ${each((form) => take(form, several))}
    ${several ? `local passes = ${each(() => passing("@"), " and ")}` : ""}
    ${each((form) => tell(form, several))}
    if not problem then
      ${each((form) => keep(form, several))}
      if problem and not ${several ? "passes" : passing("1")} then
        ${needed}
        problem, at = nil, before
        ${each(tellBefore)}
      end
    end
  end
  if problem then
    for j = at, before + 1, -1 do out[j] = nil end
    out[before + 1], out[before + 2], at = -1, problem, before + 2
  end
end
return out
`;
}

/** Creates the functions for states of any widths, once a call. */
const needed = "if not reads then reads, tells, same = rarely() end";

/** Puts the functions of an algorithm in locals. */
function functionsOf({ place, twin }: StateForm): string {
  return `
local take_${place}, expires_${place}
do
  ${twin.helpers}
  take_${place}, expires_${place} = ${twin.take}, ${twin.expires}
end`;
}

/** Reads the state of a charge's key into `s@`, or sets `problem` if it is not one. */
function read({ widths }: StateForm): string {
  return `
  local key@ = KEYS[i + @ - 1]
  local text@, s@ = redis.pcall('GET', key@), nil
  if not text@ then
    s@ = { ${widths.map(() => "0").join(", ")} }
  else
    ${widths.length > mostPacked ? "" : readUsual(widths)}
    if not s@ then
      local ok
      ${needed}
      ok, s@ = pcall(reads, key@, text@, ${widths.length})
      if not ok then problem = problem or s@ end
    end
  end`;
}

/** Takes a charge; if others may refuse, from a copy of its state. */
function take({ place, widths }: StateForm, several: boolean): string {
  const before = several ? `local before@ = s@\n s@ = { unpack(s@, 1, ${widths.length}) }` : "";
  return `
  local p@ = policies[input[2 * (i + @)]]
  ${before}
  local fits@ = take_${place}(s@, now, input[2 * (i + @) + 1], p@)`;
}

/** Reports a charge and packs its state, or sets `problem` if that is impossible. */
function tell(form: StateForm, several: boolean): string {
  const n = form.widths.length;
  const kept = `local kept@ = passes or not fits@ or ${countsRefused("p@")}\n if not kept@ then s@ = before@ end`;
  return `
  ${several ? kept : ""}
  local state@
  ${n > mostPacked ? "" : tellUsual(form)}
  if not state@ then
    local ok
    ${needed}
    out[at + 1], out[at + 2] = -2, fits@ and 1 or 0
    ok, state@ = pcall(tells, key@, s@, ${n}, out, at + 2)
    at = at + ${n + 2}
    if not ok then problem = problem or state@ end
  end`;
}

/**
 * Stores the state of a charge, if there is one to store. A refusal that changed no number leaves the string as it is,
 * in whatever widths: if Redis cannot write, a refused request stays refused.
 */
function keep({ place, twin, widths }: StateForm, several: boolean): string {
  // If one key of the request failed, no other is written.
  const conditions = [
    ...(several ? ["not problem", "kept@"] : []),
    ...(twin.keepsRefusals ? [] : ["(text@ or fits@)"]),
  ];
  return `
  if ${conditions.join(" and ") || "true"} then
    local till = expires_${place}(s@, p@)
    if text@ and not fits@ and state@ ~= text@ then
      ${needed}
      if same(key@, s@, text@, ${widths.length}) then state@ = text@ end
    end
    ${keepState("key@", "state@", "text@", "till")}
  end`;
}

/** Writes Lua for whether a charge lets its request pass. */
function passing(charge: string): string {
  return `(fits${charge} or ${isShadow(`p${charge}`)})`;
}

/**
 * Reports a charge as it was before its request, over the earlier report, which has no more numbers: if Redis refuses
 * to write, a request that does not pass stays refused, and what the refusal would store is dropped.
 */
function tellBefore({ widths }: StateForm): string {
  const n = widths.length;
  return `
  s@ = text@ and reads(key@, text@, ${n}) or { ${widths.map(() => "0").join(", ")} }
  out[at + 1], out[at + 2] = -2, fits@ and 1 or 0
  tells(key@, s@, ${n}, out, at + 2)
  at = at + ${n + 2}`;
}

/** Reads `s@` from `text@` if that has the usual widths. */
function readUsual(widths: readonly number[]): string {
  const { format, head, size } = packingOf(widths);
  const numbers = listOf(widths, (i) => `v${i}`);
  const small = widths.map((width, i) => (width === 7 ? ` and v${i + 1} < ${2 ** 53}` : ""));
  return `if #text@ == ${size} then
      local head, ${numbers} = struct.unpack(${format}, text@)
      if head == ${head}${small.join("")} then s@ = { ${numbers} } end
    end`;
}

/** Reports `s@` and packs it into `state@` if its numbers have the usual widths. */
function tellUsual(form: StateForm): string {
  const { widths } = form;
  const { format, head } = packingOf(widths);
  const numbers = listOf(widths, (i) => `v${i}`);
  // Numbers from 2^52 on are returned as strings.
  const bounds = widths.map((width) => (width === 7 ? 2 ** 52 : 256 ** width));
  const fit = bounds.map((bound, i) => `v${i + 1} >= 0 and v${i + 1} < ${bound}`);
  const bundles = bundled(form, "(fits@ and 1 or 0)", numbers.split(", "));
  return `do
    local ${numbers} = ${listOf(widths, (i) => `s@[${i}]`)}
    if ${fit.join(" and ")} then
      ${listOf(bundles, (i) => `out[at + ${i}]`)} = ${bundles.join(", ")}
      at = at + ${bundles.length}
      state@ = struct.pack(${format}, ${head}, ${numbers})
    end
  end`;
}

function listOf(list: readonly unknown[], name: (i: number) => string): string {
  return list.map((_, i) => name(i + 1)).join(", ");
}
