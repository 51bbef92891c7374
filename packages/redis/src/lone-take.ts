import { longest } from "./call-time.ts";

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
local n, text = p[#p - 1], redis.pcall('GET', key)
if type(text) == 'table' then error('key ' .. key .. ': ' .. text.err, 0) end
local s, was, out = {}, {}, { exact(now), 0 }
if text then
  s = unpacked(key, text, n)
else
  for i = 1, n do s[i] = 0 end
end
for i = 1, n do was[i] = s[i] end
local fits, changed = algorithm.take(s, now, input[3], p), false
if fits then out[2] = 1 end
for i = 1, n do
  out[i + 2] = exact(s[i], key)
  if s[i] ~= was[i] then changed = true end
end
if not text and not fits and not algorithm.counts then return out end
if changed or text and redis.call('PTTL', key) == -1 then
  local ttl = algorithm.expires(s, p) - now
  if ttl <= 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, packed(s, n), 'PX', math.min(math.max(ttl, least), ${longest}))
  end
end
return out
`;
