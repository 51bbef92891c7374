/** Freezes data deeply. */
export function frozen<Data>(data: Data): Data {
  if (typeof data === "object" && data !== null && !Object.isFrozen(data)) {
    for (const inner of Object.values(data)) frozen(inner);
    Object.freeze(data);
  }
  return data;
}
