import type { Framework } from "../http/framework.ts";

/** A framework without requests, for guards created only for validation. */
export const noRequests: Framework<unknown> = {
  raw: absent,
  response: () => undefined,
  address: () => undefined,
  trust: () => undefined,
  doubts: () => undefined,
  user: () => undefined,
  claims: () => undefined,
  route: () => undefined,
};

function absent(): never {
  throw new Error("no request was expected");
}
