/** The longest time to live set on a key, milliseconds: one that Redis cannot count fails the whole call. */
const maxTtl = 2 ** 52;

/** Lua that follows the prelude and precedes whatever stores states: a time to live, and its string. */
export const lifeTimes: string = "local asked, life";

/**
 * Writes Lua that sets `life` to a time to live in milliseconds, given as an expression, as a string. Most keys of a
 * call share it. Not a function: one costs a call more than what it does.
 */
export function lifeOf(milliseconds: string): string {
  return `
  local ttl = ${milliseconds}
  if ttl ~= asked then
    asked = ttl
    life = string.format('%.0f', ttl < least and least or ttl > ${maxTtl} and ${maxTtl} or ttl)
  end`;
}

/**
 * Writes Lua that stores the packed state of a key until `till`, over what was stored, or deletes a key that is as good
 * as never used; an unchanged key that has lost its time to live gets it again. The arguments are names or expressions
 * in Lua. If Redis refuses to write, its error is left in the local `problem`, and the rest of the call goes on. A full
 * server refuses `SET` only while a call has written nothing, and never refuses `DEL`: keys that one request needs are
 * set before others are deleted.
 */
export function keepState(key: string, state: string, was: string, till: string): string {
  return `
if ${state} ~= ${was} or redis.call('PTTL', ${key}) == -1 then
  local done
  if ${till} <= now then
    done = redis.pcall('DEL', ${key})
  else
    ${lifeOf(`${till} - now`)}
    done = redis.pcall('SET', ${key}, ${state}, 'PX', life)
  end
  if type(done) == 'table' and done.err then problem = problem or done.err end
end`;
}
