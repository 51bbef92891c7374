import { expect, test } from "vitest";
import { slotOf } from "../src/slot.ts";
import { client, server } from "./support/redis.ts";

test("slots are those that a server reckons", async () => {
  const made = await server({ args: ["--cluster-enabled", "yes"] });
  const redis = client(made.port);
  const names = [
    "",
    "a",
    "123456789",
    "rl:1f{user:42}",
    "{}",
    "{}x",
    "a{b}c{d}",
    "{",
    "}{",
    "a{b",
    "{{x}}",
    "é",
    "{é",
    "é{a}",
    "{é}",
    "{日本",
    "{😀zz:1w{user:1}",
  ];
  for (let i = 0; i < 50; i++) names.push(`rl:1w:login{${i * 7919}}`);
  for (const name of names) expect(slotOf(name), name).toBe(await redis.cluster("KEYSLOT", name));
});
