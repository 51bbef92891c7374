/** Calls carry the second that they must not come after without its first digits: five bytes are less than ten. */
export const lap = 100_000;

/** The least time to live of a key under an injected clock, milliseconds: the machine's time must not expire it. */
const leastLife = 60_000;

/** The most that Redis is asked to keep a key, milliseconds: what it cannot count is an error of the whole call. */
const longest = 2 ** 52;

/**
 * Lua that every script begins with. ARGV[1] is a JSON list without its brackets that begins with the second, modulo
 * `lap`, after which the call must do nothing, -1 for none; ARGV[2] the time of an injected clock. Reads the list, the
 * time in milliseconds and the least time to live of a key; a call that comes too late answers the time alone. `exact`
 * spells out what clients would misread, `lasting` a time to live, which most keys of a call share.
 */
export const callTime: string = `
local input = cjson.decode('[' .. ARGV[1] .. ']')
local now = tonumber(ARGV[2])
local least = 1
if now then
  least = ${leastLife}
else
  local time = redis.call('TIME')
  now = time[1] * 1000 + floor(time[2] / 1000)
  local late = (floor(now / 1000) - input[1]) % ${lap}
  if input[1] >= 0 and late > 0 and late < ${lap / 2} then return { now } end
end

local function exact(v, key)
  if v >= 0 and v < 2 ^ 52 then return v end
  if not (v >= 0 and v < 2 ^ 53) then foreign(key) end
  return string.format('%.0f', v)
end

local asked, answer
local function lasting(ttl)
  if ttl ~= asked then
    asked = ttl
    answer = string.format('%.0f', ttl < least and least or ttl > ${longest} and ${longest} or ttl)
  end
  return answer
end
`;
