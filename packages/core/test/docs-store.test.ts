import { describe, it } from "vitest";
import type { Clock, Store } from "../src/index.ts";
import { storeSuite } from "../src/testing/index.ts";
import { fencesOf, pageAt } from "./docs/page.ts";
import { run } from "./docs/snippet.ts";

type ShelfStore = (shelf: object, clock: Clock) => Store;

const snippet = fencesOf(pageAt("docs/writing-a-store.md")).find(({ mark }) => mark === "run")!;
const { shelfStore } = (await run(snippet)) as { shelfStore: ShelfStore };

describe("the store of docs/writing-a-store.md", () => {
  storeSuite(it, ({ clock }) => {
    const texts = new Map<string, string>();
    const shelf = {
      get: async (name: string) => texts.get(name),
      set: async (name: string, text: string) => texts.set(name, text),
      delete: async (name: string) => texts.delete(name),
    };
    return shelfStore(shelf, clock);
  });
});
