/** The most numbers of a state that has one head. Longer ones have no usual widths. */
const headed = 10;

/**
 * The script for what most calls are: single charges by one algorithm, all taken and kept. It does what the envelope
 * does for each, with one algorithm and one format of states, and costs Redis half as much. It follows the prelude,
 * the keeping of states, `algorithm`, a twin, and `rarely`, which answers what states of any widths want. No ring:
 * those are read by pieces.
 *
 * `widths` are the bytes that the numbers of a state usually take. A state of other widths is read too, and numbers
 * that need more are written as they need.
 *
 * KEYS: the key of each charge; a key may come again. ARGV[1], a JSON list: `until, policies, policy, cost, …`.
 * Answers the time, then in order for each charge whether it fits and its report, or -1 and a message where it failed,
 * which changes nothing and hinders no other. Where Redis refuses to write, the call fails.
 */
export function singleTakes(widths: readonly number[]): string {
  const n = widths.length;
  return `
local policies, out, at = input[2], { now }, 1
local function decided(key, p, cost)
  local text, s = redis.pcall('GET', key), nil
  if not text then
    s = { ${widths.map(() => "0").join(", ")} }
  else
    ${n > headed ? "" : readUsual(widths)}
    if not s then
      local answered, unpacked = rarely()
      s = unpacked(key, answered(key, text), ${n})
    end
  end
  local fits, state = algorithm.take(s, now, cost, p), nil
  out[at + 1] = fits and 1 or 0
  ${n > headed ? "" : tellUsual(widths)}
  if not state then
    local _, _, packed, told = rarely()
    told(s, ${n}, key, out)
    state = packed(s, ${n})
  end
  if text or fits or algorithm.counts then return state, text, algorithm.expires(s, p) end
end

for i = 1, #KEYS do
  local key = KEYS[i]
  local ok, state, was, till = pcall(decided, key, policies[input[2 * i + 1]], input[2 * i + 2])
  if not ok then
    for j = #out, at + 1, -1 do out[j] = nil end
    out[at + 1], out[at + 2] = -1, tostring(state)
    at = at + 2
  else
    at = at + ${n + 1}
    if state then kept(key, state, was, till) end
  end
end
return out
`;
}

/** Reads `s` from `text` where it has the usual widths. */
function readUsual(widths: readonly number[]): string {
  const { format, head, size } = packing(widths);
  const numbers = listOf(widths, (i) => `v${i}`);
  const small = widths.map((width, i) => (width === 7 ? ` and v${i + 1} < ${2 ** 53}` : ""));
  return `if #text == ${size} then
      local head, ${numbers} = struct.unpack(${format}, text)
      if head == ${head}${small.join("")} then s = { ${numbers} } end
    end`;
}

/** Tells `s` and packs it into `state`, where its numbers have the usual widths. */
function tellUsual(widths: readonly number[]): string {
  const { format, head } = packing(widths);
  const numbers = listOf(widths, (i) => `v${i}`);
  // From 2^52 on numbers are told as texts.
  const bounds = widths.map((width) => (width === 7 ? 2 ** 52 : 256 ** width));
  const fits = bounds.map((bound, i) => `v${i + 1} >= 0 and v${i + 1} < ${bound}`);
  return `local ${numbers} = ${listOf(widths, (i) => `s[${i}]`)}
  if ${fits.join(" and ")} then
    ${listOf(widths, (i) => `out[at + ${i + 1}]`)} = ${numbers}
    state = struct.pack(${format}, ${head}, ${numbers})
  end`;
}

/** The widths as the packing of states writes them: a format of \`struct\`, the head, and the bytes in all. */
function packing(widths: readonly number[]): { format: string; head: number; size: number } {
  const bytes = widths.length > 5 ? 4 : 2;
  return {
    format: `'>I${bytes}${widths.map((width) => `I${width}`).join("")}'`,
    head: widths.reduce((code, width) => code * 8 + width, 0) + 2 ** (8 * bytes - 1),
    size: widths.reduce((sum, width) => sum + width, bytes),
  };
}

function listOf(widths: readonly number[], name: (i: number) => string): string {
  return widths.map((_, i) => name(i + 1)).join(", ");
}
