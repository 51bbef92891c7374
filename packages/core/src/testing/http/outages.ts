import type { Decision } from "../../decision.ts";
import type { Store, Taken } from "../../store.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import { rated } from "./fields.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of requests for which the store cannot answer. */
export function outages(define: Define): void {
  const broken = (take: () => Taken | Promise<Taken>): Store => ({
    take,
    give: () => {},
    reset: () => {},
  });
  const stores = {
    throws: broken(() => {
      throw new Error("down");
    }),
    rejects: broken(() => Promise.reject(new Error("down"))),
  };

  for (const [how, store] of Object.entries(stores)) {
    define(`runs the handler once where a store ${how} and fails open`, async ({ serve }) => {
      const errors: unknown[] = [];
      const handler = counted();
      const site = await serve(
        { ...perMinute(1), store, onError: (error) => errors.push(error) },
        { routes: { "GET /": handler } },
      );
      const answers = [await site.get(), await site.get(), await site.get()];
      assert.ok(answers.every(({ status, text }) => status === 200 && text === "ok"));
      assert.ok(answers.every((answer) => rated(answer).length === 0));
      assert.equal(handler.decisions.length, 3);
      const [decision] = handler.decisions as Decision[];
      assert.equal(decision?.reason, "store-unavailable");
      assert.equal(decision?.degraded, true);
      assert.equal(errors.length, 3);
      const { code, cause } = errors[0] as { code: unknown; cause: Error };
      assert.deepEqual([code, cause.message], ["ERR_STORE_UNAVAILABLE", "down"]);
    });

    define(`answers 503 where a store ${how} and fails closed`, async ({ serve }) => {
      const handler = counted();
      const site = await serve(
        { ...perMinute(1), store, onStoreError: "closed", onError: () => {} },
        { routes: { "GET /": handler } },
      );
      const answer = await site.get();
      assert.equal(answer.status, 503);
      assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
      assert.deepEqual(answer.lines("retry-after"), []);
      assert.deepEqual(rated(answer), []);
      assert.equal(answer.json().error, "Service Unavailable");
      assert.equal(handler.decisions.length, 0);
    });

    define(`throws no refusal where a store ${how} and fails closed`, async ({ serve }) => {
      const seen: unknown[] = [];
      const site = await serve(
        { ...perMinute(1), store, onStoreError: "closed", onError: () => {}, throw: true },
        {
          onError(error) {
            const { code, status } = error as { code: unknown; status: number };
            seen.push([code, status]);
            return { status, body: "mine" };
          },
        },
      );
      const answer = await site.get();
      assert.deepEqual([answer.status, answer.text], [503, "mine"]);
      assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
      assert.deepEqual(seen, [["ERR_STORE_UNAVAILABLE", 503]]);
    });
  }

  define("fails each policy as it says, shadows never closed", async ({ serve }) => {
    const open = { ...perMinute(1), name: "open" };
    const closed = { ...perMinute(1), name: "closed", onStoreError: "closed" } as const;
    const shadow = { ...closed, name: "shadow", shadow: true };
    const of = { store: stores.rejects, onError: () => {} };
    const one = await serve({ policies: [open, shadow], ...of });
    assert.equal((await one.get()).status, 200);
    const other = await serve({ policies: [open, closed], ...of, body: "problem" });
    const answer = await other.get();
    assert.equal(answer.status, 503);
    assert.match(String(answer.json().type), /#temporary-reduced-capacity$/);
  });

  define(
    "answers once where a store answers late, or when all have left",
    async ({ serve, store }) => {
      const waiting: (() => void)[] = [];
      const late: Store = {
        ...store,
        take: (charges, keep) =>
          new Promise((resolve) => {
            waiting.push(() => resolve(store.take(charges, keep)));
            asked();
          }),
      };
      let asked = (): void => {};
      const next = (): Promise<void> => new Promise((resolve) => (asked = resolve));
      const handler = counted();
      const site = await serve({ ...perMinute(2), store: late }, { routes: { "GET /": handler } });

      let here = next();
      const patient = site.start();
      await here;
      assert.equal(handler.decisions.length, 0);
      waiting.pop()!();
      assert.equal((await patient.answer).status, 200);

      here = next();
      const gone = site.start();
      await here;
      gone.leave();
      await gone.over;
      waiting.pop()!();

      here = next();
      const last = site.start();
      await here;
      waiting.pop()!();
      assert.equal((await last.answer).status, 429);
    },
  );
}
