/**
 * Lua that names the key when something fails. `answered(key, answer)` returns Redis's reply, or fails with its error;
 * `ask(key, ...)` calls Redis; `foreign(key)` fails for a key that holds something else.
 */
export const keyErrors: string = `
local function answered(key, answer)
  if type(answer) == 'table' and answer.err then error('key ' .. key .. ': ' .. answer.err, 0) end
  return answer
end

local function ask(key, ...)
  return answered(key, redis.pcall(...))
end

local function foreign(key)
  error('key ' .. key .. ' holds data of another kind', 0)
end
`;
