/**
 * The script for what most calls are: a single charge, taken and kept. It does what the envelope does for one, with
 * the one algorithm that it needs, and costs Redis half as much. It follows the packing of states, `callTime` and
 * `algorithm`, a twin. No ring: those are read by pieces.
 *
 * KEYS[1]: the key. ARGV[1], a JSON list without its brackets: `until, policy, cost`. Answers the time, whether the
 * charge fits, and its report. A key that holds something else is an error of the call, which changes nothing.
 */
export const loneTake: string = `
local key, p = KEYS[1], input[2]
local n, text = p[#p - 1], got(key)
local s = text and unpacked(key, text, n) or blank(n)
local fits = algorithm.take(s, now, input[3], p)
local out = { exact(now), fits and 1 or 0 }
for i = 1, n do
  local v = s[i]
  out[i + 2] = v < 2 ^ 52 and v or exact(v, key)
end
if not text and not fits and not algorithm.counts then return out end
local state = packed(s, n)
if state ~= text or redis.call('PTTL', key) == -1 then
  local ttl = algorithm.expires(s, p) - now
  if ttl <= 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, state, 'PX', lasting(ttl))
  end
end
return out
`;
