import { describe, expect, it } from "vitest";
import { type RateLimitOptions, rateLimit } from "../src/index.ts";
import { ask } from "./ask.ts";
import { majors } from "./majors.ts";
import { windowOf } from "./window.ts";

interface Row {
  /** The settings of the application, and of the limiter. */
  readonly app?: {
    readonly proxy?: boolean;
    readonly maxIpsCount?: number;
    readonly proxyIpHeader?: string;
  };
  readonly limiter?: RateLimitOptions["trustProxy"];
  readonly peer: string;
  readonly forwarded?: string;
  readonly address: string;
  readonly warning?: string;
}

const everybody = "SPILLWAY_TRUSTS_EVERYBODY";
const ignored = "SPILLWAY_FORWARDED_IGNORED";

const rows: readonly Row[] = [
  { peer: "10.0.0.9", forwarded: "6.6.6.6, 198.51.100.7", address: "198.51.100.7" },
  { peer: "192.0.2.9", forwarded: "6.6.6.6", address: "192.0.2.9", warning: ignored },
  {
    app: { proxy: false },
    limiter: false,
    peer: "10.0.0.9",
    forwarded: "6.6.6.6",
    address: "10.0.0.9",
  },
  {
    app: { proxy: true },
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7",
    address: "6.6.6.6",
    warning: everybody,
  },
  {
    app: { proxy: true, maxIpsCount: 1 },
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7",
    address: "198.51.100.7",
  },
  {
    // Koa trusts proxies for any truthy value, such as a string from the environment.
    app: { proxy: "true" as never, maxIpsCount: 1 },
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7",
    address: "198.51.100.7",
  },
  {
    app: { proxy: true, maxIpsCount: 1, proxyIpHeader: "x-real-ip" },
    peer: "192.0.2.9",
    address: "203.0.113.5",
  },
  {
    app: { proxy: true },
    limiter: 1,
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7",
    address: "198.51.100.7",
  },
  {
    app: { proxy: true, maxIpsCount: 1 },
    limiter: "framework",
    peer: "192.0.2.9",
    forwarded: "6.6.6.6",
    address: "6.6.6.6",
  },
  {
    app: { proxy: true, maxIpsCount: 1 },
    peer: "192.0.2.9",
    forwarded: "no address",
    address: "192.0.2.9",
  },
];

describe.each(majors)("the client's address in $name", ({ Koa }) => {
  it.each(rows)(
    "is $address where the application says $app, the limiter $limiter, and $peer forwards $forwarded",
    async (row) => {
      const warnings: string[] = [];
      const app = Object.assign(new Koa(), row.app);
      app.use(
        rateLimit({
          ...windowOf(9),
          trustProxy: row.limiter,
          onWarning: ({ code }) => void warnings.push(code),
        }),
      );
      app.use((ctx) => {
        ctx.body = ctx.state.rateLimit.key;
      });
      const headers = {
        ...(row.forwarded === undefined ? {} : { "x-forwarded-for": row.forwarded }),
        "x-real-ip": "203.0.113.5",
      };
      await ask(app, { headers, peer: row.peer });
      const { text } = await ask(app, { headers, peer: row.peer });
      expect(text).toBe(`ip:${row.address}`);
      expect(warnings).toEqual(row.warning === undefined ? [] : [row.warning]);
    },
  );
});
