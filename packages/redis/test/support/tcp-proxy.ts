import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A proxy between a client and a server that does to their bytes what networks do. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections were made so far. */
  readonly connections: number;
  /** Keeps what the server sends, until `release`. */
  hold(): void;
  release(): void;
  /** Drops every connection the moment the server answers, once: it did the work, and nobody learns of it. */
  loseNextReply(): void;
  /** Drops every connection now. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a port of this machine. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const held: (() => void)[] = [];
  let [holding, losing, connections] = [false, false, 0];

  const listener = createServer((near) => {
    connections++;
    const far = connect(target, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => {
      if (losing) {
        losing = false;
        cut();
      } else if (holding) held.push(() => near.write(bytes));
      else near.write(bytes);
    });
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");

  function cut(): void {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  }

  return {
    port: (listener.address() as { port: number }).port,
    get connections() {
      return connections;
    },
    hold() {
      holding = true;
    },
    release() {
      holding = false;
      for (const send of held.splice(0)) send();
    },
    loseNextReply() {
      losing = true;
    },
    cut,
    async close() {
      cut();
      listener.close();
      await once(listener, "close");
    },
  };
}
