import { keepState, lifeOf } from "./kept-state.ts";
import { ringFrom, slotsIn } from "./policy-code.ts";
import { maxNumbers } from "./ring-state.ts";

/**
 * Lua that follows the envelope, stores the new states of the keys, and returns the answer.
 *
 * Keys are set before others are deleted: a full server refuses to set only while a call has written nothing. If Redis
 * refuses to write a key, each item that names it is decided again by itself, from what is stored; so is every item
 * that names another key of a request that takes from it, since that request has charged nothing. A request that does
 * not pass is refused as a look reports it, and what it would store is dropped: a ban must not admit the client it
 * blocks. Any other item fails if it would write anything but a deletion. This is done in the items' order, so that no
 * earlier one sees what a later one gave back.
 */
export const keptEntries: string = `
local function keep_ring(key, e, till)
  if e.dirty or redis.call('PTTL', key) == -1 then
    if till <= now then
      redis.call('DEL', key)
    else
      ${lifeOf("till - now")}
      local s, ring = e.state, ${ringFrom("e.params")}
      if e.changed[ring - 3] then
        local n = ring + (s[ring - 1] == 0 and s[ring] or s[ring - 3])
        if n > ${maxNumbers} then foreign(key) end
        redis.call('SET', key, whole_ring(s, n), 'PX', life)
      else
        write_ring(key, s, e.changed)
        redis.call('PEXPIRE', key, life)
      end
    end
  end
end

local function packed_of(key, e)
  local n = ${slotsIn("e.params")}
  local state, was = packed(e.state, n), not e.dirty and e.text
  if was and not e.charged and state ~= was and same(key, e.state, was, n) then state = was end
  return state, was
end

local refused
local function keep(k, e, till)
  local key, problem = KEYS[k], nil
  if not e.changed then
    local state, was = packed_of(key, e)
    ${keepState("key", "state", "was", "till")}
  else
    local ok, failure = pcall(keep_ring, key, e, till)
    if not ok then problem = text_of(failure) end
  end
  if problem then
    refused = refused or {}
    refused[k] = problem
  end
end

local last, ends = {}, {}
for k = 1, #KEYS do
  local e = entries[k]
  if e and (e.seen or e.dirty) then
    local till = e.algorithm.expires(e.state, e.params)
    if till > now and (e.dirty or not e.changed) then
      keep(k, e, till)
    else
      last[#last + 1], ends[#ends + 1] = k, till
    end
  end
end
if not refused then
  for i = 1, #last do keep(last[i], entries[last[i]], ends[i]) end
  last = {}
end

if refused then
  local function problem_of(item)
    local problem
    for j = 2, item[1] < 2 and #item or 2, 3 do problem = problem or refused[item[j]] end
    return problem
  end

  local function spread()
    local more = true
    while more do
      more = false
      for i = 4, #input do
        local item = input[i]
        local problem = item[1] == 1 and problem_of(item)
        if problem then
          for j = 2, #item, 3 do
            if not refused[item[j]] then refused[item[j]], more = problem, true end
          end
        end
      end
    end
  end

  local function wants_to_write()
    for k, e in pairs(entries) do
      if e.changed then
        if e.dirty then return true end
      elseif e.seen or e.dirty then
        local state, was = packed_of(KEYS[k], e)
        if state ~= was then return true end
      end
    end
  end

  local function takes_away(item)
    local e = entries[item[2]]
    if item[1] ~= 2 or e.algorithm.expires(e.state, e.params) > now then return false end
    return type(redis.pcall('DEL', KEYS[item[2]])) == 'number'
  end

  spread()
  for i = 1, #last do
    if not refused[last[i]] then keep(last[i], entries[last[i]], ends[i]) end
  end
  spread()

  local all = out
  out = { all[1] }
  for i = 4, #input do
    local item, before = input[i], #out
    local problem = item[1] < 3 and problem_of(item)
    if not problem then
      for j = starts[i], (starts[i + 1] or #all + 1) - 1 do out[#out + 1] = all[j] end
    else
      local ok, passes
      if item[1] == 1 then
        entries, item[1] = {}, 0
        ok, passes = pcall(take, item, out)
        item[1] = 1
      end
      if not ok or passes then
        while #out > before do out[#out] = nil end
        entries = {}
        local done, failure = pcall(acts[item[1]], item, out)
        if not done then problem = text_of(failure) end
        if not done or wants_to_write() and not takes_away(item) then
          while #out > before do out[#out] = nil end
          out[before + 1], out[before + 2] = -1, problem
        end
      end
    end
  end
end
return out
`;
