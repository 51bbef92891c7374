/** Requests a minute, by plan. */
export const limits = { anonymous: 5, free: 10, pro: 20 };

/** @typedef {{ id: string; plan: keyof typeof limits }} Account */

/** @type {Account} */
const anna = { id: "anna", plan: "free" };
/** @type {Account} */
const ben = { id: "ben", plan: "pro" };

/** Whom a session belongs to; a real application asks where it keeps them. */
export const sessions = new Map([
  ["session-of-anna", anna],
  ["session-of-ben", ben],
]);

/** Whom an API key was given to; a real application keeps their hashes. */
export const apiKeys = new Map([["key-of-ben", ben]]);
