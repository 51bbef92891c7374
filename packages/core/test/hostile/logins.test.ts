import { expect, it } from "vitest";
import { createGuard, type HttpOptions, ip, join, user } from "../../src/http/index.ts";
import { memoryStore } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { requestOf } from "../http-scenarios/requests.ts";

const minutes = { window: "15m", count: [401, 403] } as const;

it("an account of one's own does not reset the guesses at another one", async () => {
  const account = user<BareRequest>({ from: (req) => String(req.headers["x-account"]) });
  const policies = [
    { ...minutes, name: "address", limit: 50, key: ip() },
    { ...minutes, name: "account", limit: 5, key: join(ip(), account), resetOn: "successful" },
  ] as const;
  const options = { policies, store: memoryStore({ clock: manualClock() }), onWarning: () => {} };
  const guard = createGuard(bareFramework(), options as HttpOptions<BareRequest>);

  async function attempt(name: string, status: number): Promise<string> {
    const req = requestOf({ headers: { "x-account": name } });
    const verdict = await guard.admit(req);
    if (verdict.kind !== "pass") return verdict.decision!.policy;
    req.res.writeHead(status);
    req.res.emit("close");
    return "passed";
  }

  const told: Record<string, number> = {};
  for (let i = 0; i < 100; i++) {
    expect(await attempt("mallory", 200)).toBe("passed");
    const became = await attempt("ada", 401);
    told[became] = (told[became] ?? 0) + 1;
  }
  expect(told).toEqual({ passed: 5, account: 95 });
  const names = Array.from({ length: 60 }, (_, i) => attempt(`other ${i}`, 401));
  expect((await Promise.all(names)).filter((became) => became === "passed")).toHaveLength(45);
  expect(await attempt("mallory", 200)).toBe("address");
});
