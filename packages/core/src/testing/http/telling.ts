import type { IncomingMessage } from "node:http";
import type { Decision } from "../../decision.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";
import type { Site } from "./site.ts";

/** Defines tests of what the application is told: decisions, hooks, errors. */
export function telling(define: Define): void {
  define("leaves a frozen decision where handlers find it", async ({ serve, clock, self }) => {
    const handler = counted();
    const site = await serve(perMinute(2), { routes: { "GET /": handler } });
    await site.get();
    await site.get();
    clock.advance(5000);
    await site.get();
    const [first, second] = handler.decisions as [Decision, Decision];
    assert.ok(Object.isFrozen(first));
    assert.ok(Object.isFrozen(first.statuses));
    assert.ok(first.statuses.every(Object.isFrozen));
    const { allowed, policy, key, limit, remaining, retryAfter, resetAfter, delay } = first;
    assert.deepEqual(
      { allowed, policy, key, limit, remaining, retryAfter, resetAfter, delay },
      {
        allowed: true,
        policy: "default",
        key: self,
        limit: 2,
        remaining: 1,
        retryAfter: 0,
        resetAfter: 60_000,
        delay: 0,
      },
    );
    assert.deepEqual([first.reason, first.degraded, first.shadowed], ["ok", false, false]);
    assert.deepEqual([first.remaining, second.remaining], [1, 0]);
  });

  define("tells hooks of each decision once, with the request", async ({ serve }) => {
    const told: string[] = [];
    const note =
      (hook: string) =>
      ({ allowed, reason }: Decision, { url }: IncomingMessage): void => {
        told.push(`${hook} ${url} ${allowed} ${reason}`);
      };
    const site = await serve({
      ...perMinute(1),
      onDecision: note("decision"),
      onRefused: note("refused"),
    });
    await site.statuses(["/?a", "/?b"]);
    assert.deepEqual(told, [
      "decision /?a true ok",
      "decision /?b false limited",
      "refused /?b false limited",
    ]);
  });

  define("lets no hook's failure reach a request", async ({ serve }) => {
    const failures = [
      () => {
        throw new Error("hook");
      },
      async () => {
        throw new Error("hook");
      },
    ];
    for (const fails of failures) {
      const errors: unknown[] = [];
      const site = await serve({
        ...perMinute(1),
        name: `hooks ${failures.indexOf(fails)}`,
        onDecision: fails,
        onRefused: fails,
        onError: (error) => {
          errors.push((error as Error).message);
          return fails();
        },
      });
      assert.deepEqual(await site.statuses(["/", "/"]), [200, 429]);
      assert.deepEqual(errors, ["hook", "hook", "hook"]);
    }
  });

  define("answers nothing where a hook has answered already", async ({ serve }) => {
    let site: Site | undefined;
    const handler = counted();
    const answers = (_: Decision, raw: IncomingMessage): void => {
      const res = site!.responseTo(raw);
      res.statusCode = 429;
      res.setHeader("X-Own", "1");
      res.end("mine");
    };
    site = await serve({ ...perMinute(1), onRefused: answers }, { routes: { "GET /": handler } });
    await site.get();
    const answer = await site.get();
    assert.deepEqual([answer.status, answer.text, answer.headers["x-own"]], [429, "mine", "1"]);
    assert.equal(handler.decisions.length, 1);
  });

  define("keeps somebody else's error what it is", async ({ serve }) => {
    const seen: unknown[] = [];
    const fails = (): Error => Object.assign(new Error("teapot"), { status: 418 });
    const site = await serve(perMinute(9), {
      routes: { "GET /": counted({ fails }) },
      onError(error) {
        seen.push((error as Error).message);
        return { status: (error as { status: number }).status, body: "short and stout" };
      },
    });
    const { status, text } = await site.get();
    assert.deepEqual([status, text, seen], [418, "short and stout", ["teapot"]]);
  });
}
