import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { requestOf } from "../../../test/http-scenarios/requests.ts";
import { connection } from "../../testing/index.ts";
import { hasLeft, whenOver } from "./departure.ts";

describe("whenOver", () => {
  it("calls back once, and leaves no listener", () => {
    const { res, socket } = requestOf();
    res.assignSocket(socket);
    const before = res.listenerCount("close");
    let calls = 0;
    whenOver(res, () => calls++);
    res.emit("close");
    res.emit("close");
    expect([calls, res.listenerCount("close")]).toEqual([1, before]);
  });

  it("calls back at once where it is over", () => {
    const { res, socket } = requestOf();
    socket.destroy();
    let calls = 0;
    whenOver(res, () => calls++);
    expect([calls, hasLeft(res)]).toEqual([1, true]);
  });

  it("calls back for an answer that is finished and never closed, as on a platform of functions", async () => {
    const { res } = requestOf();
    const sent = new PassThrough();
    res.assignSocket(sent as never);
    let calls = 0;
    whenOver(res, () => calls++);
    const finished = once(res, "finish");
    res.end("found");
    await finished;
    expect([calls, res.closed, hasLeft(res)]).toEqual([1, false, false]);
    whenOver(res, () => calls++);
    expect(calls).toBe(2);
  });

  it("waits no longer once it is told to stop", () => {
    const { res, socket } = requestOf();
    const before = [res.listenerCount("close"), socket.listenerCount("close")];
    const stop = whenOver(res, () => expect.fail("was stopped"));
    stop();
    res.emit("close");
    socket.emit("close");
    expect([res.listenerCount("close"), socket.listenerCount("close")]).toEqual(before);
  });

  it("notices that a client leaves whose answer waits behind another on its connection", async () => {
    const over: string[] = [];
    const server = createServer();
    const second = new Promise<ServerResponse>((resolve) => {
      server.on("request", (req, res) => {
        whenOver(res, () => over.push(String(req.url)));
        if (req.url === "/2") resolve(res);
      });
    });
    const client = connection(server, "192.0.2.1");
    client.write("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
    const waiting = await second;
    expect([waiting.socket, hasLeft(waiting)]).toEqual([null, false]);
    const { socket } = waiting.req;
    const closed = new Promise((resolve) => socket.once("close", () => setImmediate(resolve)));
    client.destroy();
    await closed;
    expect(over.sort()).toEqual(["/1", "/2"]);
    expect(hasLeft(waiting)).toBe(true);
  });
});
