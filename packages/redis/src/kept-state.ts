/** The most that Redis is asked to keep a key, milliseconds: what it cannot count is an error of the whole call. */
const longest = 2 ** 52;

/**
 * Lua that keeps the state of one key; it follows the prelude.
 *
 * `lasting(ms)` is a time to live as a text, which most keys of a call share. `kept(key, text, was, till)` writes a
 * packed state that lasts until `till` in place of what stood there, or takes the key away where it is as good as never
 * used; where nothing changed, it gives a key its time to live again that has lost it.
 */
export const keptState: string = `
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
