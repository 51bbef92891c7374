const mark: unique symbol = Symbol("mark");

/**
 * Whether two objects are one, behind a proxy or not: what is put on the one is on the other. Never where an object
 * takes nothing on. It costs an object its hidden class, and is only for where they look different.
 */
export function areOne(one: object, other: object): boolean {
  const token = {};
  try {
    // Proxies that are only to be read, or have a place of their own for what is written, mostly let this through.
    Reflect.defineProperty(one, mark, { value: token, configurable: true });
    return Reflect.get(other, mark) === token;
  } catch {
    // A proxy that lets nobody look.
    return false;
  } finally {
    Reflect.deleteProperty(one, mark);
  }
}
