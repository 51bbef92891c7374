import type { PolicySource } from "../../policies/policy-source.ts";
import { assert } from "../assert.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of policies that are replaced while requests are served. */
export function exchanges(define: Define): void {
  define("exchanges policies at once, and keeps what was used", async ({ serve }) => {
    const source = changing(perMinute(5));
    const site = await serve({ source });
    const seen = async (): Promise<string> => {
      const { status, headers } = await site.get();
      return `${status} ${headers["x-ratelimit-limit"]} ${headers["x-ratelimit-remaining"]}`;
    };
    const before = [await seen(), await seen()];
    source.publish(perMinute(3));
    const after = [await seen(), await seen()];
    source.publish({ policies: [{ ...perMinute(9), name: "other" }], status: 503 });
    assert.deepEqual(
      [before, after, await seen()],
      [["200 5 4", "200 5 3"], ["200 3 0", "429 3 0"], "200 9 8"],
    );
    source.publish({ rules: [{ name: "none", unlimited: true }], matching: "first" });
    assert.equal(await seen(), "200 undefined undefined");
    source.publish(perMinute(6));
    assert.equal(await seen(), "200 6 2");
  });

  define("keeps what holds where a new version does not fit", async ({ serve, self }) => {
    const errors: unknown[] = [];
    const source = changing(perMinute(2));
    const site = await serve({ source, onError: (error) => void errors.push(error) });
    await site.get();
    source.publish({ ...perMinute(2), limit: -1 });
    source.publish({ ...perMinute(2), store: {} });
    const issues = (errors as { issues: { path: string }[] }[]).flatMap((error) => error.issues);
    assert.deepEqual(
      issues.map(({ path }) => path),
      ["source.limit", "source.store"],
    );
    assert.equal((await site.limiters[0]!.peek(self)).remaining, 1);
    assert.deepEqual(await site.statuses(["/", "/"]), [200, 429]);
  });

  define("finishes requests by what they began with", async ({ serve, self }) => {
    let finish = (): void => {};
    let reached = (): void => {};
    const arrived = new Promise<void>((resolve) => (reached = resolve));
    const source = changing({ ...perMinute(4), name: "kept", refund: "failed" });
    const site = await serve(
      { source },
      {
        routes: {
          "GET /": {
            status: 500,
            reached: () => reached(),
            until: () => new Promise<void>((resolve) => (finish = resolve)),
          },
        },
      },
    );
    const exchange = site.start();
    await arrived;
    source.publish({ ...perMinute(3), name: "kept" });
    const [limiter] = site.limiters;
    assert.equal((await limiter!.peek(self)).remaining, 2);
    finish();
    assert.equal((await exchange.answer).status, 500);
    assert.equal((await limiter!.peek(self)).remaining, 3);
  });

  define("gives back by hand what an earlier version took", async ({ serve, self }) => {
    const source = changing({ ...perMinute(4), name: "kept" });
    const { limiters } = await serve({ source });
    const decision = await limiters[0]!.check(self);
    source.publish({ ...perMinute(3), name: "kept" });
    source.publish({ ...perMinute(2), name: "kept" });
    assert.equal((await limiters[0]!.peek(self)).remaining, 1);
    await limiters[0]!.give(decision);
    assert.equal((await limiters[0]!.peek(self)).remaining, 2);
  });

  define("lets go of a source when it is closed", async ({ serve, self }) => {
    const source = changing(perMinute(4));
    const { limiters } = await serve({ source });
    assert.equal(source.listeners.size, 1);
    await limiters[0]!.close();
    assert.equal(source.listeners.size, 0);
    source.publish(perMinute(1));
    assert.equal((await limiters[0]!.peek(self)).limit, 4);
  });
}

/** A source that changes when told. */
interface Changing extends PolicySource {
  readonly listeners: ReadonlySet<(next: object) => void>;
  publish(next: object): void;
}

function changing(first: object): Changing {
  const listeners = new Set<(next: object) => void>();
  let current = first;
  return {
    listeners,
    get current() {
      return current;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    publish(next) {
      current = next;
      for (const listener of listeners) listener(next);
    },
    close: () => listeners.clear(),
  };
}
