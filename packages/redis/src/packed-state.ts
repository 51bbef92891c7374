/**
 * Lua that reads and writes a state of few numbers in few bytes: up to ten numbers are a group, each in 1 to 7 bytes,
 * behind a head that says how many each takes, three bits apiece. A head is 2 bytes for up to five numbers and 4 for
 * more, and begins with a bit that no ASCII text has, so that no such text is ever taken for a state.
 */
export const packedState: string = `
local byte, char, floor = string.byte, string.char, math.floor

local function foreign(key)
  error('key ' .. key .. ' holds data of another kind', 0)
end

local sized = { 'I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7' }
local shapes = {}
local function shape_of(code)
  local shape = shapes[code]
  if shape then return shape end
  local parts, size, at, rest = { '', '', '', '', '', '', '', '', '', '' }, 0, 10, code
  while rest > 0 do
    local width = rest % 8
    if width == 0 or at == 0 then return end
    parts[at], size, at, rest = sized[width], size + width, at - 1, (rest - width) / 8
  end
  local head, format = at < 5 and 4 or 2, table.concat(parts)
  shape = { body = '>' .. format, whole = '>I' .. head .. format, size = head + size, count = 10 - at }
  shapes[code] = shape
  return shape
end

local function unpacked_group(key, text, from, count)
  local head, flag = 2, 32768
  if count > 5 then head, flag = 4, 2147483648 end
  if #text < from + head then foreign(key) end
  local code = struct.unpack('>I' .. head, text, from) - flag
  local shape = code > 0 and shape_of(code)
  if not shape or shape.count ~= count or #text - from + 1 < shape.size then foreign(key) end
  local s = { struct.unpack(shape.body, text, from + head) }
  for i = 1, count do
    if s[i] >= 2 ^ 53 then foreign(key) end
  end
  return s, from + shape.size
end

local function unpacked(key, text, n)
  local s, at = unpacked_group(key, text, 1, n > 10 and 10 or n)
  for from = 11, n, 10 do
    local more
    more, at = unpacked_group(key, text, at, math.min(10, n - from + 1))
    for i = 1, #more do s[from - 1 + i] = more[i] end
  end
  s[n + 1] = nil
  if at ~= #text + 1 then foreign(key) end
  return s
end

local function packed_group(s, from, to)
  local code = 0
  for i = from, to do
    local v = s[i]
    code = code * 8 + (v < 256 and 1 or v < 65536 and 2 or v < 16777216 and 3 or v < 4294967296 and 4
      or v < 1099511627776 and 5 or v < 281474976710656 and 6 or 7)
  end
  local flag = to - from >= 5 and 2147483648 or 32768
  return struct.pack(shape_of(code).whole, code + flag, unpack(s, from, to))
end

local function packed(s, n)
  if n <= 10 then return packed_group(s, 1, n) end
  local groups = {}
  for from = 1, n, 10 do groups[#groups + 1] = packed_group(s, from, math.min(n, from + 9)) end
  return table.concat(groups)
end
`;
