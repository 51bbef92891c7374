import { ip, memoryStore, rateLimit, user } from "@spillway/koa";
import Koa from "koa";

export const app = new Koa();
const limit = rateLimit({ limit: 100, window: "1m", key: [user(), ip()], store: memoryStore() });
app.use(limit);

export const peeked: unknown = limit.limiter.peek("user:42");

// @ts-expect-error an unknown option is an error
rateLimit({ limit: 100, window: "1m", maximum: 3 });
