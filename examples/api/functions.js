import { accounts, apiKeys } from "./accounts.js";
import { pointsOf } from "./graphql.js";

/** @typedef {import("express").Request & { user?: import("./accounts.js").Account }} Request */

/** What the policy file cannot say by itself: `{ use: name }` there is the function of that name here. */
export const functions = {
  isApiKey: (/** @type {string} */ key) => apiKeys.has(key),
  planOf,
  accountOf,
  pointsOf,
  asksForHealth: (/** @type {Request} */ req) => req.path === "/health",
};

/** @param {Request} req */
function planOf(req) {
  return (apiKeys.get(req.get("x-api-key") ?? "") ?? req.user)?.plan;
}

/**
 * Tells whose login is tried, in one spelling; also of accounts that do not exist, so that nobody learns which do.
 *
 * @param {Request} req
 */
export function accountOf(req) {
  const account = req.body?.account;
  return typeof account === "string" ? account.trim().toLowerCase() : undefined;
}

/**
 * Tells the account of a login that is right.
 *
 * @param {Request} req
 */
export function loggedIn(req) {
  const account = accounts.get(accountOf(req) ?? "");
  return account?.password === req.body?.password ? account : undefined;
}
