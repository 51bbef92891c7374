import { countsRefused, placeIn, refuses, slotsIn } from "./policy-code.ts";

/**
 * The script for any call, except for storing the results. It follows the prelude, the errors of keys, the code that
 * reports and packs, the times to live, rings, and `makers`, a list of the algorithms' twins.
 *
 * KEYS: the distinct keys of a call. ARGV[1]: `until, from, policies, item, …`, where a policy is what `policyCode`
 * writes, and an item is one of `[0 or 1, key, policy, cost, …]` to look or take, three numbers per charge; `[2, key,
 * policy, cost, at, left…]` to give; `[3, key]` to reset.
 *
 * Leaves `entries`, the new states of the keys, `starts`, where the answer to each item begins, and `out`, the answer:
 * the time, then for each item in order: for each charge whether it fits and its report; or 0 for a give or reset; or
 * -1 and a message if the item failed, which changes nothing and does not affect other items. Numbers from 2^52 on are
 * returned as strings, since clients read integers that long with an error of one. A call that comes after `until`, or
 * before `from`, does nothing and returns only the time.
 *
 * A single charge that is kept works on its key's packed state itself, any other on drafts: a copy of a packed state;
 * for a ring, and for a key that a request names again, only what it writes, over the state below. `working` is the key
 * of a charge without a draft, whose state is dropped if it fails.
 */
export const envelope: string = `
local policies = input[3]

local made = {}
local function twin(p)
  local i = ${placeIn("p")}
  local algorithm = made[i]
  if not algorithm then
    algorithm = makers[i]()
    made[i] = algorithm
  end
  return algorithm
end

local entries = {}
local function entry_of(k, p)
  local e = entries[k]
  if e then
    e.params = p
    return e
  end
  local key, algorithm = KEYS[k], twin(p)
  if algorithm.report then
    local state, exists = ring(key)
    if exists and not algorithm.valid(state) then foreign(key) end
    e = { algorithm = algorithm, params = p, state = state, exists = exists, changed = {} }
  else
    local n, text = ${slotsIn("p")}, ask(key, 'GET', key)
    local state = text and unpacked(key, text, n) or blank(n)
    e = { algorithm = algorithm, params = p, state = state, exists = text, text = text }
  end
  entries[k] = e
  return e
end

local function draft(e, under, p)
  if e.changed or under ~= e.state then return setmetatable({}, { __index = under }) end
  return { unpack(under, 1, ${slotsIn("p")}) }
end

local function commit(e, work)
  if not getmetatable(work) then
    e.state = work
    return
  end
  local s, under, changed = e.state, getmetatable(work).__index, e.changed
  for i, v in pairs(work) do
    if s[i] ~= v and under[i] ~= v then
      s[i], e.dirty = v, true
      if changed then changed[i] = true end
    end
  end
end

local function report(e, key, s, cost, p, out)
  if not e.changed then return told(s, ${slotsIn("p")}, key, out, #out) end
  local digest = e.algorithm.report(s, now, cost, p)
  told(digest, #digest, key, out, #out)
end

local function take(item, out)
  local keep, pass = item[1] == 1, true
  local before, work, fits, again = {}, {}, {}, {}
  for i = 2, #item, 3 do
    local k, p = item[i], policies[item[i + 1]]
    local e = entry_of(k, p)
    local under = e.state
    for j = 2, i - 1, 3 do
      if item[j] == k then under, again[i] = work[j], true end
    end
    local over = draft(e, under, p)
    before[i], work[i] = under, over
    fits[i] = e.algorithm.take(over, now, item[i + 2], p)
    if not fits[i] and ${refuses("p")} then pass = false end
  end
  for i = 2, #item, 3 do
    local k, p, cost, fit = item[i], policies[item[i + 1]], item[i + 2], fits[i]
    local kept = keep and cost > 0 and (pass or not fit or ${countsRefused("p")})
    out[#out + 1] = fit and 1 or 0
    report(entries[k], KEYS[k], kept and work[i] or before[i], cost, p, out)
    if not kept then work[i] = nil end
  end
  for i = 2, #item, 3 do
    local e, p = entries[item[i]], policies[item[i + 1]]
    if work[i] and (fits[i] or e.exists or e.algorithm.keepsRefusals) then
      e.exists, e.seen = true, true
      e.charged = e.charged or fits[i]
      if again[i] and not fits[i] then
        local marked = draft(e, e.state, p)
        e.algorithm.mark(marked, now, p)
        commit(e, marked)
      end
      commit(e, work[i])
    end
  end
  return pass
end

local working
local function take_one(item, out)
  local k, p, cost = item[2], policies[item[3]], item[4]
  local e = entry_of(k, p)
  if e.changed or cost == 0 then return take(item, out) end
  local s, n, algorithm = e.state, ${slotsIn("p")}, e.algorithm
  working = k
  local fit = algorithm.take(s, now, cost, p)
  out[#out + 1] = fit and 1 or 0
  told(s, n, KEYS[k], out, #out)
  if fit or e.exists or algorithm.keepsRefusals then
    e.exists, e.seen, e.charged = true, true, e.charged or fit
  else
    e.state = blank(n)
  end
  working = nil
end

local function give(item, out)
  local p = policies[item[3]]
  local e = entry_of(item[2], p)
  if e.exists then
    local left = {}
    for i = 6, #item do left[#left + 1] = item[i] end
    local work = draft(e, e.state, p)
    e.algorithm.give(work, now, item[4], item[5], left, p)
    e.seen, e.charged = true, true
    commit(e, work)
    if e.algorithm.expires(e.state, p) <= now then e.dirty = true end
  end
  out[#out + 1] = 0
end

local function reset(item, out)
  redis.call('DEL', KEYS[item[2]])
  entries[item[2]] = nil
  out[#out + 1] = 0
end

local function text_of(problem)
  return type(problem) == 'table' and problem.err or tostring(problem)
end

local acts = { [0] = take, take, give, reset }
local out, starts = { exact(now) }, {}
for i = 4, #input do
  local item, before = input[i], #out
  starts[i] = before + 1
  local act = item[1] == 1 and #item == 4 and take_one or acts[item[1]]
  local ok, problem = pcall(act, item, out)
  if not ok then
    while #out > before do out[#out] = nil end
    if working then entries[working], working = nil, nil end
    out[before + 1] = -1
    out[before + 2] = text_of(problem)
  end
end
`;
