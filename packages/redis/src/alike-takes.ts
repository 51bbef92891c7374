import { keyErrors } from "./key-errors.ts";
import { packedState } from "./packed-state.ts";
import { bundled, type StateForm } from "./state-form.ts";
import { toldNumbers } from "./told-numbers.ts";

/** The most numbers of a state that has one head. Longer ones have no usual widths. */
const headed = 10;

/**
 * The script for what most calls are: requests with the same charges, of keys that differ, taken and kept. `forms` are
 * those of a request's charges, in order. It does what the envelope does for each request, with no other algorithms and
 * formats of states than these, at half the cost and less. It follows the prelude, the keeping of states, and the
 * twins of the forms, as `twin1`, `twin2` and so on. No rings: those are read by pieces.
 *
 * A state of other widths than the usual ones is read too, and numbers that need more are written as they need.
 *
 * KEYS: those of each request, in order. ARGV[1], a JSON list: `until, policies`, and for each key `policy, cost`, where
 * a policy is what the envelope says. Answers the time, then for each key the bundles of its form, or -2, whether its
 * charge fits, and its report; or for a request -1 and a message where it failed, which changes nothing and hinders no
 * other. Where Redis refuses to write, the call fails.
 */
export function alikeTakes(forms: readonly StateForm[]): string {
  /** Writes some Lua for each charge of a request, with its number in place of every `@`. */
  const each = (lua: (form: StateForm) => string, between = "\n"): string =>
    forms.map((form, i) => lua(form).replaceAll("@", String(i + 1))).join(between);
  const several = forms.length > 1;
  const written = each(() => "state@, text@, till@", ", ");
  return `
local function rarely()
  ${keyErrors}${toldNumbers}${packedState}
  return answered, unpacked, packed, told
end

local policies, out, at = input[2], { now }, 1
local function decided(i)
  ${each((form) => taken(form, several))}
  ${several ? `local passes = ${each(() => "(fits@ or p@[#p@] % 4 > 1)", " and ")}` : ""}
  ${each((form) => told(form, several))}
  return ${written}
end

for i = 1, #KEYS, ${forms.length} do
  local before = at
  local ok, ${written} = pcall(decided, i - 1)
  if ok then
    ${each(() => "if state@ then kept(KEYS[i + @ - 1], state@, text@, till@) end")}
  else
    for j = #out, before + 1, -1 do out[j] = nil end
    out[before + 1], out[before + 2], at = -1, tostring(state1), before + 2
  end
end
return out
`;
}

/** Takes a charge; where others may refuse, on a copy of its state. */
function taken({ twin, widths }: StateForm, several: boolean): string {
  return `
  local key@, p@, cost@ = KEYS[i + @], policies[input[2 * (i + @) + 1]], input[2 * (i + @) + 2]
  local text@, s@ = redis.pcall('GET', key@), nil
  if not text@ then
    s@ = { ${widths.map(() => "0").join(", ")} }
  else
    ${widths.length > headed ? "" : readUsual(widths)}
    if not s@ then
      local answered, unpacked = rarely()
      s@ = unpacked(key@, answered(key@, text@), ${widths.length})
    end
  end
  ${several ? `local before@ = s@\n s@ = { unpack(s@, 1, ${widths.length}) }` : ""}
  local fits@ = twin${twin}.take(s@, now, cost@, p@)`;
}

/** Tells of a charge, and packs the state that it leaves, if it leaves one. */
function told(form: StateForm, several: boolean): string {
  const { twin, widths } = form;
  const n = widths.length;
  return `
  ${several ? "local kept@ = passes or not fits@ or p@[#p@] % 2 == 1\n if not kept@ then s@ = before@ end" : ""}
  local state@, till@
  ${n > headed ? "" : tellUsual(form)}
  if not state@ then
    local _, _, packed, told = rarely()
    out[at + 1], out[at + 2] = -2, fits@ and 1 or 0
    told(s@, ${n}, key@, out)
    state@ = packed(s@, ${n})
    at = at + ${n + 2}
  end
  if ${several ? "kept@ and " : ""}(text@ or fits@ or twin${twin}.counts) then
    till@ = twin${twin}.expires(s@, p@)
  else
    state@ = nil
  end`;
}

/** Reads `s@` from `text@` where it has the usual widths. */
function readUsual(widths: readonly number[]): string {
  const { format, head, size } = packing(widths);
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
  const { format, head } = packing(widths);
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

/** Widths as the packing of states writes them: as a format of `struct`, the head, and the bytes in all. */
function packing(widths: readonly number[]): { format: string; head: number; size: number } {
  const bytes = widths.length > 5 ? 4 : 2;
  return {
    format: `'>I${bytes}${widths.map((width) => `I${width}`).join("")}'`,
    head: widths.reduce((code, width) => code * 8 + width, 0) + 2 ** (8 * bytes - 1),
    size: widths.reduce((sum, width) => sum + width, bytes),
  };
}

function listOf(list: readonly unknown[], name: (i: number) => string): string {
  return list.map((_, i) => name(i + 1)).join(", ");
}
