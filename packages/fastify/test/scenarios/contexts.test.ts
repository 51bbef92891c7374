import Fastify from "fastify";
import { expect, it } from "vitest";
import rateLimit from "../../src/index.ts";
import { statuses } from "../ask.ts";
import { windowOf } from "../window.ts";

const handler = async (): Promise<string> => "ok";

it("B40: a limiter in a child limits the child only, one on the root everything", async () => {
  const app = Fastify();
  app.register((child, _, done) => {
    child.register(rateLimit, windowOf(1));
    child.get("/limit1", handler);
    done();
  });
  app.get("/free", handler);
  app.register((child, _, done) => {
    child.get("/other", handler);
    done();
  });
  expect(await statuses(app, "/limit1", "/limit1")).toEqual([200, 429]);
  expect(await statuses(app, "/free", "/free", "/free")).toEqual([200, 200, 200]);
  expect(await statuses(app, "/other", "/other", "/other")).toEqual([200, 200, 200]);
  expect(await statuses(app, "/nope", "/nope")).toEqual([404, 404]);

  const root = Fastify();
  root.register((child, _, done) => {
    child.get("/earlier", handler);
    done();
  });
  root.register(rateLimit, windowOf(2));
  root.register((child, _, done) => {
    child.get("/later", handler);
    done();
  });
  expect(await statuses(root, "/earlier", "/later", "/earlier")).toEqual([200, 200, 429]);
});

const isAuth = ({ url }: { url: string }): boolean => url.startsWith("/auth");

it("B41: a second registration limits beside the first", async () => {
  const app = Fastify();
  await app.register(rateLimit, { ...windowOf(5), skip: isAuth });
  await app.register(rateLimit, { ...windowOf(2), skip: (request) => !isAuth(request) });
  app.get("/auth", async () => "ok");
  app.get("/x", async () => "ok");
  expect(await statuses(app, "/auth", "/auth", "/auth")).toEqual([200, 200, 429]);
  expect(await statuses(app, ...Array<string>(6).fill("/x"))).toEqual([
    200, 200, 200, 200, 200, 429,
  ]);
});

it("B41: a second registration of the same name is refused", async () => {
  const app = Fastify();
  app.register(rateLimit, { ...windowOf(5), name: "api" });
  app.register(rateLimit, { ...windowOf(2), name: "api" });
  await expect(app.ready()).rejects.toMatchObject({
    code: "ERR_INVALID_CONFIG",
    issues: [{ path: "name" }],
  });
});
