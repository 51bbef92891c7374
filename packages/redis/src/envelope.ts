/** Calls carry the second that they must not come after without its first digits: five bytes are less than ten. */
export const lap = 100_000;

/** The least time to live of a key under an injected clock, milliseconds: the machine's time must not expire it. */
const patience = 60_000;

/**
 * The only text that talks to Redis. It follows the table `makers` of the algorithms' twins, and what packs states.
 *
 * KEYS: the distinct keys of a call. ARGV[1], a JSON list without its brackets: `until, policies, item, …`, where
 * `until` is seconds modulo `lap`, -1 for none; a policy is its params, then how many numbers it keeps, then
 * 4 × twin + 2 × shadow + countRefused; and an item is one of `[0 or 1, key, policy, cost, …]` to look or take, three
 * numbers a charge; `[2, key, policy, cost, at, left…]` to give; `[3, key]` to reset. ARGV[2]: an injected clock's
 * time.
 *
 * Answers the time, then for each item in order: for each charge whether it fits and its report; or 0 for what has
 * been given or reset; or -1 and a message where the item failed, which changes nothing and hinders no other item.
 * Numbers from 2^52 on are answered as texts, since clients read integers that long with an error of one.
 * A call that comes after `until` does nothing and answers the time alone.
 */
export const envelope: string = `
local input = cjson.decode('[' .. ARGV[1] .. ']')
local policies = input[2]
local now = tonumber(ARGV[2])
local least = 1
if now then
  least = ${patience}
else
  local time = redis.call('TIME')
  now = time[1] * 1000 + floor(time[2] / 1000)
  local late = (floor(now / 1000) - input[1]) % ${lap}
  if input[1] >= 0 and late > 0 and late < ${lap / 2} then return { now } end
end

local made = {}
local function twin(code)
  local i = floor(code / 4)
  made[i] = made[i] or makers[i]()
  return made[i]
end

local entries = {}
local function entry_of(k, p)
  local e = entries[k]
  if e then
    e.params = p
    return e
  end
  local key, algorithm, n = KEYS[k], twin(p[#p]), p[#p - 1]
  e = { algorithm = algorithm, params = p, n = n }
  if algorithm.report then
    e.state, e.exists = ring(key)
    e.changed = {}
  else
    local text = ask(key, 'GET', key)
    e.exists = text and true or false
    if text then
      e.state = unpacked(key, text, n)
    else
      e.state = {}
      for i = 1, n do e.state[i] = 0 end
    end
  end
  entries[k] = e
  return e
end

local function layer(under) return setmetatable({}, { __index = under }) end

local function commit(e, work)
  local s, changed = e.state, e.changed
  for i, v in pairs(work) do
    if s[i] ~= v then
      s[i] = v
      if changed then changed[i] = true end
      e.dirty = true
    end
  end
end

local function exact(v) return v < 2 ^ 52 and v or string.format('%.0f', v) end

local function report(e, s, cost, p, out)
  local told, n, at = s, e.n, #out
  if e.algorithm.report then
    told = e.algorithm.report(s, now, cost, p)
    n = #told
  end
  for i = 1, n do out[at + i] = exact(told[i]) end
end

local function take(item, out)
  local keep, pass = item[1] == 1, true
  local before, work, fits = {}, {}, {}
  for i = 2, #item, 3 do
    local k, p = item[i], policies[item[i + 1]]
    local e = entry_of(k, p)
    local under = e.state
    for j = 2, i - 1, 3 do
      if item[j] == k then under = work[j] end
    end
    local over = layer(under)
    before[i], work[i] = under, over
    fits[i] = e.algorithm.take(over, now, item[i + 2], p)
    if not fits[i] and p[#p] % 4 < 2 then pass = false end
  end
  for i = 2, #item, 3 do
    local e, p, cost, fit = entries[item[i]], policies[item[i + 1]], item[i + 2], fits[i]
    local kept = keep and cost > 0 and (pass or not fit or p[#p] % 2 == 1)
    out[#out + 1] = fit and 1 or 0
    report(e, kept and work[i] or before[i], cost, p, out)
    if not kept then work[i] = nil end
  end
  for i = 2, #item, 3 do
    local e = entries[item[i]]
    if work[i] and (fits[i] or e.exists or e.algorithm.counts) then
      e.exists, e.seen = true, true
      commit(e, work[i])
    end
  end
end

local function give(item, out)
  local p = policies[item[3]]
  local e = entry_of(item[2], p)
  if e.exists then
    local left = {}
    for i = 6, #item do left[#left + 1] = item[i] end
    local work = layer(e.state)
    e.algorithm.give(work, now, item[4], item[5], left, p)
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

local acts = { [0] = take, take, give, reset }
local out = { exact(now) }
for i = 3, #input do
  local item, told = input[i], #out
  local ok, problem = pcall(acts[item[1]], item, out)
  if not ok then
    while #out > told do out[#out] = nil end
    out[told + 1] = -1
    out[told + 2] = type(problem) == 'table' and problem.err or tostring(problem)
  end
end

for k = 1, #KEYS do
  local key, e = KEYS[k], entries[k]
  local bare = e and e.seen and not e.dirty and e.exists and redis.call('PTTL', key) == -1
  if e and (e.dirty or bare) then
    local ttl = e.algorithm.expires(e.state, e.params) - now
    if ttl <= 0 then
      redis.call('DEL', key)
    elseif e.algorithm.report then
      write_ring(key, e.state, e.changed)
      redis.call('PEXPIRE', key, math.max(ttl, least))
    else
      redis.call('SET', key, packed(e.state, e.n), 'PX', math.max(ttl, least))
    end
  end
end
return out
`;
