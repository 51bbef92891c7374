import type { Server } from "node:http";
import { Duplex } from "node:stream";

/**
 * Connects to a server without a socket, from whatever address: answers the client's end. The other
 * end is a connection of the server, on which HTTP is parsed as on any other.
 */
export function connection(server: Server, peer: string | undefined): Duplex {
  const client: Duplex = end(() => far);
  const far: Duplex = end(() => client);
  Object.defineProperty(far, "remoteAddress", { value: peer });
  server.emit("connection", far);
  return client;
}

/** One end of a pair. Nothing arrives in the turn that sent it, since parsers do not expect that. */
function end(other: () => Duplex): Duplex {
  const arrive = (chunk: unknown): void => {
    if (other().destroyed) return;
    other().push(chunk);
    // As a socket does: its end is told, though nobody reads.
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
