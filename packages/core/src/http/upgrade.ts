import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { systemClock } from "../clock.ts";
import type { Guard } from "./guard.ts";
import { hold } from "./response/hold.ts";

/**
 * Charges a WebSocket handshake, which Express and Koa never see, in `server.on("upgrade", …)`. Resolves to whether to
 * go on; if false, the client has been answered and its socket ended. Never rejects: an error of the options' functions
 * is answered with 500 and reported to `onError`. A handshake is held like a request.
 */
export async function admitUpgrade<Req>(
  guard: Guard<Req>,
  req: IncomingMessage,
  socket: Duplex,
  of: (req: IncomingMessage) => Req,
): Promise<boolean> {
  const broken = (): void => {};
  socket.on("error", broken);
  let asked: Req | undefined;
  try {
    asked = of(req);
    const verdict = await guard.admit(asked);
    if (verdict.kind === "refuse") {
      const { status, fields, body } = verdict;
      end(socket, status, [...fields, ["Content-Type", body.contentType]], body.text);
    }
    const delay = verdict.decision?.delay ?? 0;
    const left = verdict.kind === "gone" || (delay > 0 && !(await hold(socket, delay)));
    // If the client closed only its half, the other would stay open forever.
    if (left) socket.destroy();
    return verdict.kind === "pass" && !left;
  } catch (error) {
    guard.report(error, asked as Req);
    end(socket, 500, [["Content-Type", "text/plain; charset=utf-8"]], "Internal Server Error");
    return false;
  } finally {
    socket.off("error", broken);
  }
}

function end(
  socket: Duplex,
  status: number,
  fields: readonly (readonly [string, string])[],
  text: string,
): void {
  socket.on("error", () => {});
  // The server has released this socket: nobody else would end it if the client does not.
  socket.once("finish", () => socket.destroy());
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date(systemClock()).toUTCString()}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${text}`);
}
