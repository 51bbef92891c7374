import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Listens, and resolves once it does. Rejects with what to do about it where the port cannot be had.
 *
 * @param {import("node:http").RequestListener} app
 * @param {number} port
 */
export async function serve(app, port) {
  const server = createServer(app);
  server.listen(port);
  await once(server, "listening").catch((error) => {
    throw new Error(reasons[error.code]?.(port) ?? error.message, { cause: error });
  });
  return server;
}

/** @type {Record<string, ((port: number) => string) | undefined>} */
const reasons = {
  EADDRINUSE: (port) =>
    `Port ${port} is in use. Stop what listens there, or choose another: PORT=${port === 65_535 ? 3000 : port + 1} npm start`,
  EACCES: (port) =>
    `This user may not listen on port ${port}. Choose one from 1024 on: PORT=3000 npm start`,
};
