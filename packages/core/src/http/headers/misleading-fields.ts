/** A refusal is true for one client at one time: it must be neither kept nor compared. */
const validators: ReadonlySet<string> = new Set([
  "etag",
  "last-modified",
  "expires",
  "x-accel-expires",
]);
/** What caches of a vendor heed before Cache-Control (RFC 9213 and its forerunners). */
const targeted = /.-cache-control$|^(?:surrogate|edge)-control$/;
/** Told of a wait or a body that are not this answer's, or would have a server in front send another. */
const stale: ReadonlySet<string> = new Set([
  "retry-after",
  "content-encoding",
  "content-md5",
  "content-digest",
  "repr-digest",
  "digest",
  "content-location",
  "accept-ranges",
  "content-language",
  "content-range",
  "content-disposition",
  "content-length",
  "transfer-encoding",
  "trailer",
  "x-accel-redirect",
  "x-sendfile",
]);

/** Whether a field, by its lower-case name, was set for another answer and would mislead on a refusal. */
export function misleads(name: string): boolean {
  return stale.has(name) || invites(name);
}

/** Whether a field, by its lower-case name, invites somebody to keep a refusal or to compare it. */
export function invites(name: string): boolean {
  // The end is looked at first: the pattern costs more, and every name is asked for, twice a refusal.
  return validators.has(name) || (name.endsWith("-control") && targeted.test(name));
}
