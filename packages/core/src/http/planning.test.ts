import { expect, it } from "vitest";
import { bareFramework } from "../../test/http-scenarios/bare-server.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { PolicySource } from "../policies/policy-source.ts";
import { createGuard } from "./guard.ts";

const log = { algorithm: "sliding-log", window: "1m" } as const;
const wrong = { ...log, limit: 7, tiers: { big: { limit: 200_000 } }, tier: () => "" };

it.each([
  ["of a version that does not fit, and so changes nothing", [wrong], []],
  ["of a version that holds", [{ ...log, limit: 7 }], ["SPILLWAY_UNNAMED_LIMITERS"]],
  [
    "of a version that was taken back",
    [
      { ...log, limit: 7 },
      { ...log, limit: 5 },
    ],
    [],
  ],
])("tells no other limiter %s", async (_, versions, warned) => {
  const store = memoryStore();
  const codes: string[] = [];
  const errors: unknown[] = [];
  let publish: (said: PolicySource["current"]) => void = () => {};
  const source: PolicySource = {
    current: { ...log, limit: 5 },
    subscribe(listener) {
      publish = listener;
    },
    close() {},
  } as PolicySource;
  const onWarning = ({ code }: { readonly code: string }): void => void codes.push(code);
  const onError = (error: unknown): void => void errors.push(error);
  const { limiter } = createGuard(bareFramework(), { source, store, onWarning, onError } as never);
  await limiter.check("key");
  for (const said of versions) publish(said as PolicySource["current"]);
  const other = createLimiter({ ...log, limit: 5, store });
  await other.check("key");
  await limiter.check("key");
  expect(codes).toEqual(warned);
  expect(errors).toHaveLength(versions.filter((said) => said === wrong).length);
});
