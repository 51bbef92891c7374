/** The most numbers that share a head. Longer states have several heads, and no usual widths. */
export const mostPacked = 10;

/** Returns how numbers of known widths are packed: the format of `struct`, the head, and the total bytes. */
export function packingOf(widths: readonly number[]): {
  readonly format: string;
  readonly head: number;
  readonly size: number;
} {
  const bytes = widths.length > 5 ? 4 : 2;
  return {
    format: `'>I${bytes}${widths.map((width) => `I${width}`).join("")}'`,
    head: widths.reduce((code, width) => code * 8 + width, 0) + 2 ** (8 * bytes - 1),
    size: widths.reduce((sum, width) => sum + width, bytes),
  };
}

/**
 * Lua that reads and writes a state of few numbers in few bytes; it follows the errors of keys. Up to ten numbers form
 * a group, each in 1 to 7 bytes, after a head that holds the width of each in three bits. A head is 2 bytes for up to
 * five numbers and 4 for more, and begins with a bit that no ASCII text has, so that none is ever taken for a state.
 *
 * `blank(n)` returns the state of a new key; `unpacked(key, text, n)` the n numbers of a string, or fails if it is not
 * such a state; `packed(s, n)` the string of n numbers; `same(key, s, text, n)` whether a string, in whatever widths,
 * holds these numbers.
 */
export const packedState: string = `
local function blank(n)
  local s = {}
  for i = 1, n do s[i] = 0 end
  return s
end

local formats = {}
local function format_of(code, count)
  local known = formats[code]
  if known then return known.count == count and known end
  local widths = string.format('%o', code)
  if #widths ~= count or string.find(widths, '0', 1, true) then return end
  local numbers = string.gsub(widths, '.', 'I%0')
  local whole = (count > 5 and '>I4' or '>I2') .. numbers
  local format = { numbers = '>' .. numbers, whole = whole, size = struct.size(whole), count = count }
  formats[code] = format
  return format
end

local function unpacked_group(key, text, from, count)
  local a, b, c, d = string.byte(text, from, from + 3)
  if not b or a < 128 then foreign(key) end
  local head, code = 2, (a - 128) * 256 + b
  if count > 5 then
    if not d then foreign(key) end
    head, code = 4, (code * 256 + c) * 256 + d
  end
  local format = format_of(code, count)
  if not format or #text - from + 1 < format.size then foreign(key) end
  local s = { struct.unpack(format.numbers, text, from + head) }
  for i = 1, count do
    if s[i] >= 2 ^ 53 then foreign(key) end
  end
  s[count + 1] = nil
  return s, from + format.size
end

local function unpacked(key, text, n)
  local s, at = unpacked_group(key, text, 1, n > 10 and 10 or n)
  for from = 11, n, 10 do
    local more
    more, at = unpacked_group(key, text, at, math.min(10, n - from + 1))
    for i = 1, #more do s[from - 1 + i] = more[i] end
  end
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
  local count = to - from + 1
  local flag = count > 5 and 2147483648 or 32768
  return struct.pack(format_of(code, count).whole, code + flag, unpack(s, from, to))
end

local function same(key, s, text, n)
  local was = unpacked(key, text, n)
  for i = 1, n do
    if was[i] ~= s[i] then return false end
  end
  return true
end

local function packed(s, n)
  if n <= 10 then return packed_group(s, 1, n) end
  local groups = {}
  for from = 1, n, 10 do groups[#groups + 1] = packed_group(s, from, math.min(n, from + 9)) end
  return table.concat(groups)
end
`;
