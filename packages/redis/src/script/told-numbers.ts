/**
 * Lua that returns numbers to clients; it follows the errors of keys. `exact(v, key)` spells out a number that clients
 * would misread; `told(s, n, key, out, at)` puts n of them after an index of an answer.
 */
export const toldNumbers: string = `
local function exact(v, key)
  if v >= 0 and v < 2 ^ 52 then return v end
  if not (v >= 0 and v < 2 ^ 53) then foreign(key) end
  return string.format('%.0f', v)
end

local function told(s, n, key, out, at)
  for i = 1, n do
    local v = s[i]
    out[at + i] = v >= 0 and v < 2 ^ 52 and v or exact(v, key)
  end
end
`;
