/**
 * Reads the port to listen on; nothing, or an empty text, is 3000, and 0 is any free one. Throws for
 * what is no port.
 *
 * @param {string | undefined} text
 * @returns {number}
 */
export function portOf(text) {
  if (text === undefined || text === "") return 3000;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new RangeError(`PORT is ${JSON.stringify(text)}: expected a whole number from 0 to 65535.`);
}
