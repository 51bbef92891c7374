/** The shortest time to live of a key with an injected clock, milliseconds: the machine's time must not expire it. */
const leastLife = 60_000;

/**
 * Lua that every script begins with. ARGV[1] is a JSON list; its first entries are the seconds since the epoch after
 * which the call must do nothing, or -1 for none, and before which. ARGV[2] is the time of an injected clock, if there
 * is one. A call that comes too late, or too early, returns only the time.
 *
 * Leaves `input`, the list; `now`, epoch milliseconds; `least`, the shortest time to live of a key, milliseconds; and
 * `floor`.
 */
export const prelude: string = `
local floor = math.floor
local input = cjson.decode(ARGV[1])
local now = tonumber(ARGV[2])
local least = 1
if now then
  least = ${leastLife}
else
  local time = redis.call('TIME')
  now = time[1] * 1000 + floor(time[2] / 1000)
  local second = floor(now / 1000)
  if input[1] >= 0 and (second > input[1] or second < input[2]) then return { now } end
end
`;
