/**
 * A server with one limiter or none, whose requests arrive over a connection within the process, one after another:
 * `node request-contender.mjs express @spillway/express refused`. Replies to each message, a number of requests, with
 * the microseconds of CPU time that each of them took.
 */
import { Duplex } from "node:stream";
import { serverOf, statusOf } from "./http-servers.mjs";

const request = Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");

/** The parts of a socket that an HTTP server needs, with no other end. */
class Connection extends Duplex {
  remoteAddress = "127.0.0.1";
  setTimeout() {}
  setNoDelay() {}
  setKeepAlive() {}
  ref() {}
  unref() {}
  _read() {}
  _write(_chunk, _encoding, done) {
    done();
  }
  _writev(_chunks, done) {
    done();
  }
}

const [framework, contender, outcome] = process.argv.slice(2);
const server = await serverOf(framework, contender, outcome);
const connection = new Connection();
let answered;
server.on("request", (_req, res) => res.on("close", () => answered(res.statusCode)));
server.emit("connection", connection);

async function send(amount) {
  let status;
  for (let i = 0; i < amount; i++) {
    const answer = new Promise((resolve) => {
      answered = resolve;
    });
    connection.push(request);
    status = await answer;
    // Timers, and whatever else belongs to a turn of the event loop, run now and then.
    if (i % 50 === 49) await new Promise(setImmediate);
  }
  if (status !== statusOf(contender, outcome)) throw new Error(`Answered with ${status}`);
}

async function cost(amount) {
  const from = process.cpuUsage();
  await send(amount);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / amount;
}

/**
 * A major collection between the first requests and the many, as every longer-lived process has had one. In it V8
 * forgets the hidden classes that no object has at that moment, and what it then compiles for `process.nextTick` takes
 * 2 µs longer per request behind Fastify; a small process without one would look faster.
 */
await send(50);
globalThis.gc();

process.on("message", async (amount) => process.send(await cost(amount)));
process.on("disconnect", () => process.exit());
process.send("ready");
