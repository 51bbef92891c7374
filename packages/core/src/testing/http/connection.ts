import type { Server } from "node:http";
import { Duplex } from "node:stream";

/**
 * Connects to a server without a socket, from any address; returns the client's end. The other end is a connection of
 * the server, with HTTP parsed as usual.
 */
export function connection(server: Server, peer: string | undefined): Duplex {
  const client: Duplex = end(() => far);
  const far: Duplex = end(() => client);
  Object.defineProperty(far, "remoteAddress", { value: peer });
  server.emit("connection", far);
  return client;
}

/** One end of a pair. Delivers in a later turn, because parsers do not expect data in the turn that sent it. */
function end(other: () => Duplex): Duplex {
  const arrive = (chunk: unknown): void => {
    if (other().destroyed) return;
    other().push(chunk);
    // Like a socket, emits the end even if nobody reads.
    if (chunk === null) other().read(0);
  };
  return new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      setImmediate(() => {
        arrive(chunk);
        done();
      });
    },
    final(done) {
      setImmediate(() => {
        arrive(null);
        done();
      });
    },
    destroy(error, done) {
      setImmediate(() => other().destroy());
      done(error);
    },
  });
}
