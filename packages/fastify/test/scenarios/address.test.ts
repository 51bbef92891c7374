import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Fastify from "fastify";
import { expect, it } from "vitest";
import rateLimit from "../../src/index.ts";
import { windowOf } from "../window.ts";

it("B11: clients without an address share one bucket, with one warning", async () => {
  const folder = await mkdtemp(join(tmpdir(), "spillway-"));
  const path = join(folder, "socket");
  const warnings: string[] = [];
  const app = Fastify();
  await app.register(rateLimit, {
    ...windowOf(2),
    headers: "draft-8",
    onWarning: ({ code }) => void warnings.push(code),
  });
  app.get("/", async ({ rateLimit: decision }) => decision?.key);
  await app.listen({ path });
  const asked = [await ask(path), await ask(path), await ask(path)];
  expect(asked.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(asked[0]?.text).toBe("ip:none");
  expect(warnings).toEqual(["SPILLWAY_NO_ADDRESS"]);
  await app.close();
  await rm(folder, { recursive: true });
});

function ask(socketPath: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath, agent: false }, async (answer) => {
      resolve({ status: answer.statusCode!, text: (await answer.toArray()).join("") });
    });
    asking.on("error", reject).end();
  });
}
