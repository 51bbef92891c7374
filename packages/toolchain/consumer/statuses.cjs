const { createServer } = require("node:http");

/** Answers the statuses of three requests in a row to one server. */
module.exports = async function statuses(listener) {
  const server = createServer(listener);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const seen = [];
  for (let i = 0; i < 3; i++) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/`);
    await response.text();
    seen.push(response.status);
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return seen;
};
