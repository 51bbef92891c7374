import type { FastifyInstance } from "fastify";
import * as fastify from "fastify";
import { expect, it } from "vitest";
import * as adapter from "../src/index.ts";
import { remaining, statuses } from "./ask.ts";
import { run, snippets } from "./readme.ts";

type Proof = (app: FastifyInstance, values: Record<string, unknown>) => Promise<void>;

const proofs: readonly [about: string, proof: Proof, ...names: string[]][] = [
  [
    "a start",
    async (app) => {
      const limits: unknown[] = [];
      for (const url of ["/", "/search", "/health", "/nope"]) {
        const { headers } = await app.inject(url);
        limits.push([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]);
      }
      expect(limits).toEqual([
        ["100", "99"],
        ["10", "9"],
        [undefined, undefined],
        ["100", "98"],
      ]);
    },
  ],
  [
    "a group",
    async (app) => {
      const [send, resend] = ["/otp/send", "/otp/resend"].map(
        (url) => ({ method: "POST", url }) as const,
      );
      expect(await statuses(app, send!, resend!, send!, resend!)).toEqual([200, 200, 200, 429]);
    },
  ],
  [
    "a part",
    async (app) => {
      expect(await statuses(app, ...Array<string>(11).fill("/api/items"))).toEqual([
        ...Array(10).fill(200),
        429,
      ]);
      expect((await app.inject("/")).headers).not.toHaveProperty("x-ratelimit-limit");
    },
  ],
  [
    "users of routes",
    async (app) => {
      const headers = { authorization: "Bearer t0ken" };
      expect(await statuses(app, "/me", "/me", "/nope")).toEqual([401, 401, 404]);
      expect(await remaining(app, "/", { url: "/me", headers }, "/")).toEqual([98, 99, 97]);
    },
  ],
  [
    "a login",
    async (app) => {
      const login = {
        method: "POST",
        url: "/login",
        payload: { email: "a@example.test" },
      } as const;
      expect(await statuses(app, ...Array(6).fill(login))).toEqual([...Array(5).fill(200), 429]);
      const missing = await statuses(app, ...Array<string>(21).fill("/nope"));
      expect(missing.slice(-2)).toEqual([404, 429]);
    },
  ],
  [
    "errors",
    async (app) => {
      await app.inject("/");
      const { statusCode, json } = await app.inject("/");
      expect([statusCode, json()]).toEqual([
        429,
        { problem: "ERR_RATE_LIMITED", wait: expect.any(Number) },
      ]);
    },
  ],
  [
    "keys by hand",
    async (_, values) => expect(values).toMatchObject({ remaining: 100 }),
    "remaining",
  ],
];

it.each(proofs.map(([about, ...rest], at) => ({ about, at, rest })))(
  "The README shows $about as it is",
  async ({ at, rest: [proof, ...names] }) => {
    const modules = { fastify, "@spillway/fastify": adapter };
    const { app, ...values } = await run(snippets()[at]!, modules, ["app", ...names]);
    await proof(app as FastifyInstance, values);
    await (app as FastifyInstance).close();
  },
);

it("The README shows nothing else", () => expect(snippets()).toHaveLength(proofs.length));
