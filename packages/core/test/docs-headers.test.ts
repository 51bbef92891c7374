import { createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { headerDialects, keyOf } from "../src/http/index.ts";
import { createLimiter, memoryStore, type Store } from "../src/index.ts";
import { manualClock } from "../src/testing/index.ts";
import { type Listeners, watchListeners } from "./docs/listeners.ts";
import { allPages, fencesOf, pageAt, tablesOf } from "./docs/page.ts";
import { run } from "./docs/snippet.ts";

/** The options of a limiter, and which request of the same client at the same time is shown. */
interface Exchange {
  readonly request: number;
  readonly onStoreError?: string;
  readonly name?: string;
}

const exchanges = allPages()
  .flatMap(fencesOf)
  .filter(({ mark }) => mark === "exchange");

const broken: Store = {
  take: () => Promise.reject(new Error("down")),
  give: () => {},
  reset: () => {},
};

let listeners: Listeners;
beforeEach(() => {
  listeners = watchListeners();
});
afterEach(() => listeners.close());

it("shows every style, and tells of every dialect", () => {
  const shown = exchanges.flatMap(({ name }) => JSON.parse(name).headers ?? "legacy");
  expect(shown).toEqual(
    expect.arrayContaining(["legacy", "draft-6", "draft-7", "draft-8", false, expect.any(Object)]),
  );
  const table = tablesOf(pageAt("docs/headers.md")).find(({ mark }) => mark === "dialects")!;
  const told = table.rows.slice(1).map(([name]) => JSON.parse(name!.replaceAll("`", "")));
  expect(told).toEqual(Object.keys(headerDialects));
});

it.each(exchanges)("answers as $at says: $name", async ({ name, lines }) => {
  const { request, ...options } = JSON.parse(name) as Exchange;
  const limited = await adapter();
  const clock = manualClock();
  clock.advance(30_000);
  const store = options.onStoreError ? broken : memoryStore({ clock });
  const all = { limit: 100, window: "1m", store, onError: () => {}, ...options };
  // A limiter of the same policy on the same store shares its counters.
  const named = options.name === undefined ? {} : { name: options.name };
  const before = createLimiter({ limit: 100, window: "1m", store, onError: () => {}, ...named });
  await before.check(keyOf.ip("127.0.0.1"), { cost: request - 1 });
  createServer(limited(all, (_, res) => void res.end("found"))).listen(3000, "127.0.0.1");
  const answer = await ask(await listeners.port());
  expect(answer.split("\n")).toEqual(lines);
});

/** Returns the adapter of docs/writing-an-adapter.md, which these exchanges test as well. */
async function adapter(): Promise<(options: object, handler: RequestListener) => RequestListener> {
  const snippet = fencesOf(pageAt("docs/writing-an-adapter.md")).find(({ mark }) => mark === "run");
  const { limited } = await run(snippet!);
  await listeners.close();
  listeners = watchListeners();
  return limited as (options: object, handler: RequestListener) => RequestListener;
}

/** Returns the head of a response without the fields that Node always adds, and the body of a refusal. */
async function ask(port: number): Promise<string> {
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: "127.0.0.1" }, resolve).on("error", reject);
  });
  const body = await text(res);
  const lines = [`HTTP/1.1 ${res.statusCode} ${res.statusMessage}`];
  for (let i = 0; i < res.rawHeaders.length; i += 2) {
    const [name, value] = [res.rawHeaders[i]!, res.rawHeaders[i + 1]!];
    if (!/^(?:Date|Connection|Keep-Alive|Content-Length)$/.test(name))
      lines.push(`${name}: ${value}`);
  }
  return (res.statusCode! < 400 ? lines : [...lines, "", body]).join("\n");
}
