const mark: unique symbol = Symbol("mark");

/**
 * Whether two objects are the same, behind a proxy or not: a property set on one appears on the other. False if an
 * object accepts no property. Costs the object its hidden class, so call it only if the objects look different.
 */
export function areOne(one: object, other: object): boolean {
  const token = {};
  try {
    // Proxies that are read-only, or store writes elsewhere, mostly let this through.
    Reflect.defineProperty(one, mark, { value: token, configurable: true });
    return Reflect.get(other, mark) === token;
  } catch {
    // A proxy that forbids access.
    return false;
  } finally {
    Reflect.deleteProperty(one, mark);
  }
}
