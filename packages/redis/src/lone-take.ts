/**
 * The script for what most calls are: a single charge, taken and kept. It does what the envelope does for one, with
 * the one algorithm that it needs, and costs Redis half as much. It follows the prelude, the packing and keeping of
 * states, and `algorithm`, a twin. No ring: those are read by pieces.
 *
 * KEYS[1]: the key. ARGV[1], a JSON list without its brackets: `until, policy, cost`. Answers the time, whether the
 * charge fits, and its report. A key that holds something else is an error of the call, which changes nothing.
 */
export const loneTake: string = `
local key, p = KEYS[1], input[2]
local n, text = p[#p - 1], ask(key, 'GET', key)
local s = text and unpacked(key, text, n) or blank(n)
local fits = algorithm.take(s, now, input[3], p)
local out = { exact(now, key), fits and 1 or 0 }
told(s, n, key, out)
if text or fits or algorithm.counts then
  kept(key, packed(s, n), text, algorithm.expires(s, p))
end
return out
`;
