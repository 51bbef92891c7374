/** A refusal is true for one client at one time: it must be neither cached nor validated. */
const validators: ReadonlySet<string> = new Set([
  "etag",
  "last-modified",
  "expires",
  "x-accel-expires",
]);
/** Fields that a vendor's caches obey before Cache-Control (RFC 9213 and its forerunners). */
const targeted = /.-cache-control$|^(?:surrogate|edge)-control$/;
/** Fields about a wait or a body other than this response's, or that make a server in front send another. */
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

/** Whether a field, by its lower-case name, was set for another response and would mislead on a refusal. */
export function misleads(name: string): boolean {
  return stale.has(name) || invites(name);
}

/** Whether a field, by its lower-case name, invites caching or validating a refusal. */
export function invites(name: string): boolean {
  // Checks the ending first: the pattern costs more, and every name is checked, twice per refusal.
  return validators.has(name) || (name.endsWith("-control") && targeted.test(name));
}
