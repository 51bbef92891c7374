/** @typedef {{ id: string; password: string; plan: "free" | "pro" | "enterprise" }} Account */

/** @type {readonly Account[]} */
const all = [
  { id: "anna", password: "red", plan: "free" },
  { id: "ben", password: "green", plan: "pro" },
  { id: "cleo", password: "blue", plan: "enterprise" },
];

/** Accounts by their names; a real application keeps hashes of passwords, and asks its database. */
export const accounts = new Map(all.map((account) => [account.id, account]));

/** Whom a session belongs to. */
export const sessions = new Map(all.map((account) => [`session-of-${account.id}`, account]));

/** Whom an API key was given to. */
export const apiKeys = new Map(all.map((account) => [`key-of-${account.id}`, account]));
