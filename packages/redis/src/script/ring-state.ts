/** How many numbers are read at once. */
const page = 64;

/** More numbers than any log has: a state that claims more must not keep Redis busy. */
export const maxNumbers: number = 2 ** 17;

/**
 * Lua that reads and writes a state of many numbers in pieces, seven bytes per number; it follows the prelude and the
 * errors of keys. A log of any length costs a request a few reads: only what is needed is fetched, and only what
 * changed is written. If the capacity changed, everything is: what lies beyond a shorter one would remain.
 */
export const ringState: string = `
local function ring(key)
  local pages = {}
  local function read(p)
    local from = p * ${page * 7}
    local text = ask(key, 'GETRANGE', key, from, from + ${page * 7 - 1})
    if #text % 7 ~= 0 or #text > 0 and string.byte(text) > 31 then foreign(key) end
    pages[p] = text
    return text
  end
  local exists = read(0) ~= ''
  return setmetatable({}, {
    __index = function(s, i)
      local p = floor((i - 1) / ${page})
      local text = pages[p] or read(p)
      local at = (i - 1 - p * ${page}) * 7 + 1
      local v = at < #text and struct.unpack('>I7', text, at) or 0
      if v >= 2 ^ 53 then foreign(key) end
      s[i] = v
      return v
    end,
  }), exists
end

local function whole_ring(s, n)
  local parts = {}
  for from = 1, n, ${page} do
    local to = math.min(n, from + ${page - 1})
    for i = from, to do rawset(s, i, s[i]) end
    parts[#parts + 1] = struct.pack('>' .. string.rep('I7', to - from + 1), unpack(s, from, to))
  end
  return table.concat(parts)
end

local function write_ring(key, s, changed)
  local order = {}
  for i in pairs(changed) do order[#order + 1] = i end
  table.sort(order)
  local run, from = {}, nil
  for at = 1, #order do
    local i = order[at]
    from = from or i
    run[#run + 1] = struct.pack('>I7', s[i])
    if order[at + 1] ~= i + 1 then
      redis.call('SETRANGE', key, (from - 1) * 7, table.concat(run))
      run, from = {}, nil
    end
  end
end
`;
