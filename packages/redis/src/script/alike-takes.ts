import { keepState } from "./kept-state.ts";
import { keyErrors } from "./key-errors.ts";
import { mostPacked, packedState, packingOf } from "./packed-state.ts";
import { countsRefused, isShadow } from "./policy-code.ts";
import { bundled, type StateForm } from "./state-form.ts";
import { toldNumbers } from "./told-numbers.ts";

/**
 * The script for what most calls are: requests with the same charges, of keys that differ, taken and kept. `forms` are
 * those of a request's charges, in order. It does what the envelope does for each request, with no other algorithms and
 * formats of states than these, at half the cost and less where keys differ. It follows the prelude and the times to
 * live. No rings: those are read by pieces.
 *
 * A state of other widths than the usual ones is read too, and numbers that need more are written as they need. What
 * that takes is made where it is needed, and whatever is done once is no function: a function, and every local that it
 * uses, costs each call more than most of what they do.
 *
 * KEYS: those of each request, in order. ARGV[1], a JSON list: `until, from, policies`, and for each key `policy, cost`, where
 * a policy is what `policyCode` writes. Answers the time, then for each key the bundles of its form, or -2, whether its
 * charge fits, and its report; or for a request -1 and a message where it failed, which changes nothing and hinders no
 * other, also where Redis refuses to write what passes. Twins never fail, whatever numbers a state holds: only reading
 * and telling are guarded.
 */
export function alikeTakes(forms: readonly StateForm[]): string {
  /** Writes some Lua for each charge of a request, with its number in place of every `@`. */
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

/** Makes what states of any widths want, once a call. */
const needed = "if not reads then reads, tells, same = rarely() end";

/** Leaves what an algorithm needs here in locals. */
function functionsOf({ place, twin }: StateForm): string {
  return `
local take_${place}, expires_${place}
do
  ${twin.helpers}
  take_${place}, expires_${place} = ${twin.take}, ${twin.expires}
end`;
}

/** Leaves the state of a charge's key in `s@`, and a problem where it is none. */
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

/** Takes a charge; where others may refuse, on a copy of its state. */
function take({ place, widths }: StateForm, several: boolean): string {
  const before = several ? `local before@ = s@\n s@ = { unpack(s@, 1, ${widths.length}) }` : "";
  return `
  local p@ = policies[input[2 * (i + @)]]
  ${before}
  local fits@ = take_${place}(s@, now, input[2 * (i + @) + 1], p@)`;
}

/** Tells of a charge, packs its state, and leaves a problem where that cannot be. */
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
 * Keeps the state of a charge, unless there is none to keep. A refusal that changed no number leaves the text as it
 * stands, in whatever widths: where Redis cannot write, who is refused stays so.
 */
function keep({ place, twin, widths }: StateForm, several: boolean): string {
  // Where one key of the request is refused, no other is written.
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

/** Writes whether a charge does not keep its request from passing. */
function passing(charge: string): string {
  return `(fits${charge} or ${isShadow(`p${charge}`)})`;
}

/**
 * Tells of a charge as it stood before its request, in place of what was told, which has no more numbers: where Redis
 * refuses to write, who does not pass stays refused, and what the refusal would leave behind is dropped.
 */
function tellBefore({ widths }: StateForm): string {
  const n = widths.length;
  return `
  s@ = text@ and reads(key@, text@, ${n}) or { ${widths.map(() => "0").join(", ")} }
  out[at + 1], out[at + 2] = -2, fits@ and 1 or 0
  tells(key@, s@, ${n}, out, at + 2)
  at = at + ${n + 2}`;
}

/** Reads `s@` from `text@` where it has the usual widths. */
function readUsual(widths: readonly number[]): string {
  const { format, head, size } = packingOf(widths);
  const numbers = listOf(widths, (i) => `v${i}`);
  const small = widths.map((width, i) => (width === 7 ? ` and v${i + 1} < ${2 ** 53}` : ""));
  return `if #text@ == ${size} then
      local head, ${numbers} = struct.unpack(${format}, text@)
      if head == ${head}${small.join("")} then s@ = { ${numbers} } end
    end`;
}

/** Tells `s@` and packs it into `state@`, where its numbers have the usual widths. */
function tellUsual(form: StateForm): string {
  const { widths } = form;
  const { format, head } = packingOf(widths);
  const numbers = listOf(widths, (i) => `v${i}`);
  // From 2^52 on numbers are told as texts.
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
