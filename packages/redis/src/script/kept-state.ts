/** The most that Redis is asked to keep a key, milliseconds: what it cannot count is an error of the whole call. */
const maxTtl = 2 ** 52;

/** Lua that follows the prelude and stands before what keeps states: a time to live, and the text of it. */
export const lifeTimes: string = "local asked, life";

/**
 * Writes Lua that makes `life` a time to live, as a string, of milliseconds by an expression. Most keys of a call share
 * it. No function: one costs a call more than what it does.
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
 * Writes Lua that keeps the packed state of a key until `till`, in place of what stood there, or takes the key away
 * where it is as good as never used; where nothing changed, it gives a key its time to live again that has lost it. All
 * are named as in Lua, or expressions. Where Redis refuses to write, its error is left in the local `problem`, and the
 * rest of the call goes on. A server that is full refuses `SET` only as long as a call has written nothing, and never
 * refuses `DEL`: keys that one request needs are set before others are taken away.
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
