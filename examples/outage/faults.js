/**
 * What can be done to a Redis server, and undone.
 *
 * @typedef {object} Fault
 * @property {string} begun what is told when it has begun
 * @property {string} ended
 * @property {(server: import("@spillway/redis/testing").RedisServer) => Promise<void>} begin
 * @property {(server: import("@spillway/redis/testing").RedisServer) => Promise<void>} end
 */

/** Ends the process: connections break, and what it kept is gone. @type {Fault} */
export const kill = {
  begun: "Redis is killed",
  ended: "Redis is started again, empty",
  begin: (server) => server.kill(),
  end: (server) => server.start(),
};

/** Holds the process: connections stay open, and nothing is answered. @type {Fault} */
export const hang = {
  begun: "Redis is held",
  ended: "Redis goes on",
  begin: (server) => server.kill("SIGSTOP"),
  end: (server) => server.kill("SIGCONT"),
};
