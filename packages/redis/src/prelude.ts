/** The least time to live of a key under an injected clock, milliseconds: the machine's time must not expire it. */
const leastLife = 60_000;

/**
 * Lua that every script begins with. ARGV[1] is a JSON list without its brackets; its first entry is the second since
 * the epoch after which the call must do nothing, -1 for none. ARGV[2] is the time of an injected clock, if there is one.
 * A call that comes too late answers the time alone.
 *
 * Leaves `input`, the list; `now`, epoch milliseconds; `least`, the least time to live of a key, milliseconds; `floor`;
 * `ask`, which calls Redis and names the key where that fails; `foreign`, the error of a key that holds something else;
 * and `exact`, which spells out the numbers that clients would misread.
 */
export const prelude: string = `
local floor = math.floor
local input = cjson.decode('[' .. ARGV[1] .. ']')
local now = tonumber(ARGV[2])
local least = 1
if now then
  least = ${leastLife}
else
  local time = redis.call('TIME')
  now = time[1] * 1000 + floor(time[2] / 1000)
  if input[1] >= 0 and floor(now / 1000) > input[1] then return { now } end
end

local function ask(key, ...)
  local answer = redis.pcall(...)
  if type(answer) == 'table' and answer.err then error('key ' .. key .. ': ' .. answer.err, 0) end
  return answer
end

local function foreign(key)
  error('key ' .. key .. ' holds data of another kind', 0)
end

local function exact(v, key)
  if v >= 0 and v < 2 ^ 52 then return v end
  if not (v >= 0 and v < 2 ^ 53) then foreign(key) end
  return string.format('%.0f', v)
end
`;
