const months = "JanFebMarAprMayJunJulAugSepOctNovDec";
const pattern = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/;

let latest = "";
/** @type {number | undefined} */
let latestTime;

/**
 * Reads a time such as `22/Jan/2019:03:56:14 +0330` as epoch milliseconds; undefined for what is none,
 * such as the 30th of February, and for times before 1970.
 *
 * @param {string} text
 */
export function readLogTime(text) {
  // busy servers write many lines a second
  if (text === latest) return latestTime;
  latest = text;
  latestTime = read(text);
  return latestTime;
}

/** @param {string} text */
function read(text) {
  const found = pattern.exec(text);
  if (!found) return undefined;
  const number = (/** @type {number} */ group) => Number(found[group]);
  const [day, year, hour, minute, second] = [number(1), number(3), number(4), number(5), number(6)];
  const [zoneHours, zoneMinutes] = [number(8), number(9)];
  const month = months.indexOf(/** @type {string} */ (found[2])) / 3;
  if (!Number.isInteger(month) || month < 0) return undefined;
  // a leap second is written as 60, and is the next one's first
  if (hour > 23 || minute > 59 || second > 60 || zoneHours > 23 || zoneMinutes > 59)
    return undefined;
  const date = Date.UTC(year, month, day);
  if (year < 1970 || new Date(date).getUTCDate() !== day) return undefined;
  const ahead = (found[7] === "-" ? -60 : 60) * (zoneHours * 60 + zoneMinutes);
  const time = date + (hour * 3600 + minute * 60 + second - ahead) * 1000;
  return time < 0 ? undefined : time;
}
