/**
 * Lua that reads and writes a state of few numbers in few bytes: little-endian groups of seven bits, of which the last
 * has the high bit set, and the last number as plain bytes, so that no ASCII text is ever taken for a state.
 */
export const packedState: string = `
local byte, char, floor = string.byte, string.char, math.floor

local function foreign(key)
  error('key ' .. key .. ' holds data of another kind', 0)
end

local function unpacked(key, text, n)
  local s, at, size = {}, 1, #text
  if size > 8 * n then foreign(key) end
  local bytes = { byte(text, 1, size) }
  for i = 1, n - 1 do
    local v, unit, b = 0, 1, nil
    repeat
      b = bytes[at]
      if not b or unit > 2 ^ 49 then foreign(key) end
      at = at + 1
      v = v + b % 128 * unit
      unit = unit * 128
    until b >= 128
    s[i] = v < 2 ^ 53 and v or foreign(key)
  end
  if size - at > 6 then foreign(key) end
  local v = 0
  for i = at, size do v = v * 256 + bytes[i] end
  s[n] = v < 2 ^ 53 and v or foreign(key)
  return s
end

local function packed(s, n)
  local out, size = {}, 0
  for i = 1, n - 1 do
    local v = s[i]
    while v >= 128 do
      local rest = floor(v / 128)
      size = size + 1
      out[size] = v - rest * 128
      v = rest
    end
    size = size + 1
    out[size] = v + 128
  end
  local v, last = s[n], size + 1
  while v > 0 do
    local rest = floor(v / 256)
    table.insert(out, last, v - rest * 256)
    v = rest
  end
  return char(unpack(out))
end
`;
