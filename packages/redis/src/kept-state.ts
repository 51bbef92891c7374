/** The most that Redis is asked to keep a key, milliseconds: what it cannot count is an error of the whole call. */
const longest = 2 ** 52;

/**
 * Lua that reads, tells and keeps the state of one key. It follows the prelude and the packing of states.
 *
 * `blank(n)` is the state of a key never seen. `told(s, n, key, out)` adds n numbers to an answer. `lasting(ms)` is a
 * time to live as a text, which most keys of a call share. `kept(key, text, was, till)` writes a packed state that lasts
 * until `till` in place of what stood there, or takes the key away where it is as good as never used; where nothing
 * changed, it gives a key its time to live again that has lost it.
 */
export const keptState: string = `
local function blank(n)
  local s = {}
  for i = 1, n do s[i] = 0 end
  return s
end

local function told(s, n, key, out)
  local at = #out
  for i = 1, n do
    local v = s[i]
    out[at + i] = v >= 0 and v < 2 ^ 52 and v or exact(v, key)
  end
end

local asked, answer
local function lasting(ttl)
  if ttl ~= asked then
    asked = ttl
    answer = string.format('%.0f', ttl < least and least or ttl > ${longest} and ${longest} or ttl)
  end
  return answer
end

local function kept(key, text, was, till)
  if text == was and redis.call('PTTL', key) ~= -1 then return end
  if till <= now then
    redis.call('DEL', key)
  else
    redis.call('SET', key, text, 'PX', lasting(till - now))
  end
end
`;
