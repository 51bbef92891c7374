import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** The far end of every request: a proxy on the same machine, as applications have one. */
const proxy = Object.defineProperty(new Socket(), "remoteAddress", { value: "127.0.0.1" });

/**
 * Answers a function that hands requests to an Express application as Node's server would, but for
 * the wire, and tells what its limiter decided. The application must answer in place.
 *
 * @param {import("express").Express} app
 */
export function callerOf(app) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  // Express gives each message another prototype: one that has it from its birth is thirty times as fast
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);

  /**
   * @param {string} client an address
   * @param {string} request a method and a path
   */
  return (client, request) => {
    const blank = request.indexOf(" ");
    const req = new Request(proxy);
    req.method = request.slice(0, blank);
    req.url = request.slice(blank + 1);
    req.headers = { host: "localhost", "x-forwarded-for": client };
    const res = new Response(req);
    app(req, res);
    const { rateLimit } = /** @type {import("express").Request} */ (/** @type {unknown} */ (req));
    if (!rateLimit || !res.writableEnded) throw new Error(`${request} was not answered in place`);
    return { key: rateLimit.key, allowed: res.statusCode !== 429 };
  };
}
