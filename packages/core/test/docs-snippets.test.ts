import { afterEach, beforeEach, expect, it } from "vitest";
import { type Listeners, watchListeners } from "./docs/listeners.ts";
import { allPages, type Fence, fencesOf } from "./docs/page.ts";
import { run, typeErrors } from "./docs/snippet.ts";

const fences = allPages().flatMap(fencesOf);
const snippets = fences.filter(({ language }) => /^(?:ts|js)$/.test(language));
const runnable = snippets.filter(({ mark }) => mark === "run");

/** What each snippet that is run must do, by its name. */
const proofs: Readonly<Record<string, (told: Told) => Promise<void>>> = {
  async express({ ask }) {
    expect(await ask("POST", "/login")).toEqual([200, "5", "4"]);
    for (let i = 0; i < 4; i++) await ask("POST", "/login");
    expect(await ask("POST", "/login")).toEqual([429, "5", "0"]);
    expect(await ask("GET", "/")).toEqual([404, "100", "93"]);
  },

  async fastify({ ask }) {
    expect(await ask("GET", "/search")).toEqual([200, "10", "9"]);
    expect(await ask("GET", "/health")).toEqual([200, null, null]);
    expect(await ask("GET", "/nowhere")).toEqual([404, "100", "99"]);
  },

  async koa({ ask }) {
    expect(await ask("GET", "/search")).toEqual([200, "10", "9"]);
    expect(await ask("GET", "/nowhere")).toEqual([404, "100", "98"]);
  },

  async core({ values: { decision } }) {
    expect(decision).toMatchObject({ allowed: true, key: "user:42", remaining: 97 });
  },

  async decision({ values: { decision } }) {
    const told = fences.find(({ mark, name }) => mark === "decision" && name === "decision")!;
    expect(JSON.parse(JSON.stringify(decision))).toEqual(JSON.parse(told.lines.join("\n")));
    expect(Object.isFrozen(decision)).toBe(true);
  },

  async store({ values: { shelfStore } }) {
    expect(shelfStore).toBeTypeOf("function"); // Its behaviour is tested by docs-store.test.ts.
  },

  async adapter({ ask }) {
    expect(await ask("GET", "/")).toEqual([200, "100", "99"]);
  },
};

interface Told {
  /** The snippet's declarations. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Sends a request to the server it started and returns status, limit and remaining. */
  ask(
    method: string,
    path: string,
  ): Promise<[status: number, limit: string | null, remaining: string | null]>;
}

let listeners: Listeners;
beforeEach(() => {
  listeners = watchListeners();
});
afterEach(() => listeners.close());

it("has types that fit in every snippet, and notices one where they do not", {
  timeout: 120_000,
}, async () => {
  const lines = ["rateLimit({ limit: 100, windw: 1 });"];
  const wrong: Fence = { at: "wrong", language: "ts", mark: "with", name: "express", lines };
  expect(snippets.length).toBeGreaterThan(0);
  expect(await typeErrors([...snippets, wrong])).toEqual([
    expect.stringMatching(/^wrong: .*windw/),
  ]);
});

it("proves each snippet that runs", () => {
  expect(runnable.map(({ name }) => name).sort()).toEqual(Object.keys(proofs).sort());
});

it.each(runnable)("runs $at: $name", { timeout: 30_000 }, async (fence) => {
  const values = await run(fence);
  await proofs[fence.name]!({
    values,
    async ask(method, path) {
      const url = `http://localhost:${await listeners.port()}${path}`;
      const { status, headers } = await fetch(url, { method });
      return [status, headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")];
    },
  });
});
