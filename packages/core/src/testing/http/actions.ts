import type { IncomingMessage } from "node:http";
import type { Charge, Store } from "../../store.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import type { Define } from "./group.ts";

/** Defines tests of actions other than refusal for requests over the limit. */
export function actions(define: Define): void {
  const fixed = { window: 20, algorithm: "fixed-window" } as const;

  define("only logs, where it is told so", async ({ serve }) => {
    const shadowed: boolean[] = [];
    const site = await serve({
      limit: 1,
      window: "1m",
      action: "log",
      onDecision: (decision) => void shadowed.push(decision.shadowed),
    });
    assert.deepEqual(await site.statuses(["/", "/"]), [200, 200]);
    assert.deepEqual(shadowed, [false, true]);
  });

  define("answers a challenge in place of a refusal", async ({ serve }) => {
    const handler = counted();
    const site = await serve(
      {
        limit: 1,
        window: "1m",
        algorithm: "fixed-window",
        action: async ({ retryAfter }, { headers }) => ({
          status: 401,
          headers: {
            "WWW-Authenticate": "Captcha",
            "Content-Type": "text/html",
            "Retry-After": "9",
          },
          body: `<p>${headers["x-name"]} ${retryAfter}</p>`,
        }),
      },
      { routes: { "GET /": handler } },
    );
    await site.get();
    const answer = await site.get("/", { headers: { "x-name": "Ada" } });
    assert.equal(answer.status, 401);
    assert.equal(answer.text, "<p>Ada 60000</p>");
    assert.match(answer.headers["content-type"]!, /^text\/html/);
    assert.deepEqual(answer.lines("www-authenticate"), ["Captcha"]);
    assert.deepEqual(answer.lines("retry-after"), ["60"]);
    assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
    assert.equal(answer.headers["x-ratelimit-remaining"], "0");
    assert.equal(handler.decisions.length, 1);
  });

  define("leaves cookies and Vary of others beside those of a challenge", async ({ serve }) => {
    const headers = { "Set-Cookie": "challenge=1; Path=/", Vary: "Cookie", Link: "</a>" };
    const before = { "Set-Cookie": "session=abc", Vary: "Origin", Link: "</b>" };
    const action = () => ({ status: 401, headers });
    const site = await serve({ limit: 0, window: "1m", action }, { before });
    const answer = await site.get();
    assert.deepEqual(answer.lines("set-cookie").toSorted(), ["challenge=1; Path=/", "session=abc"]);
    assert.deepEqual(answer.lines("vary"), ["Origin, Cookie"]);
    assert.deepEqual(answer.lines("link"), ["</a>"]);
  });

  define("makes an error of a challenge that answers nonsense", async ({ serve }) => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => {
      errors.push((error as { code?: unknown }).code);
      return { status: 599, body: "handled" };
    };
    for (const answer of [{ status: 204 }, { statusCode: 403 }, { body: 1n }]) {
      const site = await serve({ limit: 0, window: "1m", action: () => answer }, { onError });
      assert.equal((await site.get()).status, 599);
    }
    assert.deepEqual(errors, Array(3).fill("ERR_INVALID_CONFIG"));
  });

  define("holds who does not fit, and lets them pass when they do", async (tools) => {
    const { clock, serve } = tools;
    const handler = counted();
    const told: string[] = [];
    const store = onRefusal(tools.store, () => clock.advance(20));
    const site = await serve(
      {
        ...fixed,
        store,
        limit: 1,
        action: "delay",
        onDecision: ({ reason }) => void told.push(reason),
      },
      { routes: { "GET /": handler } },
    );
    const answers = [await site.get(), await site.get()];
    assert.deepEqual(
      answers.map(({ status, headers }) => `${status} ${headers["x-ratelimit-remaining"]}`),
      ["200 0", "200 0"],
    );
    assert.equal(handler.decisions.length, 2);
    assert.deepEqual(told, ["ok", "ok"]);
  });

  define("holds nobody for longer than it is told", async ({ serve }) => {
    const handler = counted();
    const held = { ...fixed, limit: 1, action: "delay", maxDelay: 45 } as const;
    const site = await serve(
      {
        policies: [
          { ...held, name: "held" },
          { limit: 9, window: "1h", name: "hour" },
        ],
      },
      { routes: { "GET /": handler } },
    );
    assert.equal((await site.get()).status, 200);
    // The clock stands still: the limiter checks after 20 and 40 milliseconds, but not after 60.
    const refused = await site.get();
    assert.equal(refused.status, 429);
    assert.equal(refused.json().policy, "held");
    assert.equal(handler.decisions.length, 1);
  });

  define(
    "counts no refusal in other policies while it holds, and one in the end",
    async (tools) => {
      const { clock, serve, self } = tools;
      const counting = {
        limit: 100,
        window: "1h",
        algorithm: "fixed-window",
        name: "all",
      } as const;
      for (const more of [{ countRefused: true }, { ban: { after: 2, for: "1h" } }] as const) {
        const name = `held ${Object.keys(more)[0]}`;
        const looks = onRefusal(tools.store, () => clock.advance(20));
        const site = await serve({
          policies: [
            { ...fixed, limit: 1, name, action: "delay" },
            { ...counting, ...more, name: `all ${name}` },
          ],
          store: looks,
        });
        assert.deepEqual(await site.statuses(["/", "/", "/"]), [200, 200, 200]);
        assert.equal((await site.limiters[0]!.peek(self)).statuses[1]!.remaining, 97);
      }
      const never = await serve({
        policies: [
          { ...counting, limit: 1, name: "never", action: "delay", maxDelay: 20 },
          { ...counting, name: "all never", countRefused: true },
        ],
      });
      assert.deepEqual(await never.statuses(["/", "/"]), [200, 429]);
      assert.equal((await never.limiters[0]!.peek(self)).statuses[1]!.remaining, 98);
    },
  );

  define(
    "counts in shadow mode what it would refuse, also of what passes",
    async ({ serve, self }) => {
      const trial = { limit: 2, window: "1h", algorithm: "fixed-window", name: "trial" } as const;
      const ban = { after: 2, for: "1h" } as const;
      const late = { allow: [{ when: ({ url }: IncomingMessage) => url === "/late", late: true }] };
      const plans = [
        { ...trial, shadow: true, ban, ...late },
        {
          policies: [
            { ...trial, name: "trial beside", shadow: true, ban },
            { ...fixed, window: "1h", limit: 99, name: "held", action: "delay" as const },
          ],
        },
      ] as const;
      for (const plan of plans) {
        const site = await serve(plan);
        const blocked: boolean[] = [];
        for (let i = 0; i < 6; i++) {
          assert.equal((await site.get()).status, 200);
          blocked.push((await site.limiters[0]!.peek(self)).statuses[0]!.blocked);
        }
        assert.deepEqual(blocked, [false, false, false, true, true, true]);
      }
    },
  );

  define("counts one refusal of a request, whatever runs beside it", async ({ serve, store }) => {
    /** Answers asynchronously, as a remote store does. */
    const later: Store = {
      ...store,
      async take(charges, keep) {
        await new Promise(setImmediate);
        return store.take(charges, keep);
      },
    };
    const ban = { after: 1, for: "1m", factor: 60, extend: true } as const;
    const allow = [{ key: "nobody", late: true }];
    const site = await serve({ ...fixed, window: "1s", limit: 1, ban, allow, store: later });
    const answers = await Promise.all([site.get(), site.get()]);
    const waits = answers.flatMap(({ lines }) => lines("retry-after"));
    assert.deepEqual(waits, ["60"]);
  });

  define("refuses at once who would wait too long, or is one too many", async (tools) => {
    const { serve, self } = tools;
    let held = (): void => {};
    const holds = new Promise<void>((resolve) => (held = resolve));
    const store = onRefusal(tools.store, () => held());
    const long = { limit: 1, window: "1h", algorithm: "fixed-window", action: "delay" } as const;
    const impatient = await serve({ ...long, name: "impatient" });
    assert.deepEqual(await impatient.statuses(["/", "/"]), [200, 429]);
    const full = await serve({ ...long, name: "full", store, maxDelay: "1h", maxHeld: 1 });
    await full.get();
    const waiting = full.start();
    await holds;
    assert.equal((await full.get()).status, 429);
    waiting.leave();
    await waiting.over;
    assert.equal((await full.limiters[0]!.peek(self)).statuses.length, 1);
  });

  define("owes a client nothing that leaves while it is held", async (tools) => {
    const handler = counted();
    const told: string[] = [];
    let held = (): void => {};
    const holds = new Promise<void>((resolve) => (held = resolve));
    const store = onRefusal(tools.store, () => held());
    const site = await tools.serve(
      {
        policies: [
          {
            limit: 1,
            window: "1h",
            algorithm: "fixed-window",
            name: "one",
            action: "delay",
            maxDelay: "2h",
          },
          { limit: 5, window: "1h", algorithm: "fixed-window", name: "five", refund: "failed" },
        ],
        store,
        onDecision: ({ reason }) => void told.push(reason),
      },
      { routes: { "GET /": handler } },
    );
    await site.get();
    const exchange = site.start();
    await holds;
    exchange.leave();
    await exchange.over;
    assert.equal(handler.decisions.length, 1);
    assert.deepEqual(told, ["ok"]);
    const { statuses } = await site.limiters[0]!.peek(tools.self);
    assert.deepEqual(
      statuses.map(({ remaining }) => remaining),
      [0, 4],
    );
  });
}

/** Wraps a store to call back when something did not fit. */
function onRefusal(store: Store, then: () => void): Store {
  return {
    ...store,
    async take(charges: readonly Charge[], keep: boolean) {
      const taken = await store.take(charges, keep);
      if (taken.fits.includes(false)) setImmediate(then);
      return taken;
    },
  };
}
