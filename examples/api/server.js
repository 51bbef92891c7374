import { watchPolicies } from "@spillway/core/policy-file";
import { createApp } from "./app.js";
import { functions } from "./functions.js";

const file = process.env.POLICIES || new URL("policies.yaml", import.meta.url);
const policies = await watchPolicies(file, {
  functions,
  // the last good version stays
  onError: (error) => console.error(/** @type {Error} */ (error).message),
});
policies.subscribe(() => console.log(`Policies ${policies.version}`));

const wanted = Number(process.env.PORT || 3000);
const server = createApp({ policies }).listen(wanted, (error) => {
  if (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const inUse = `Port ${wanted} is in use. Choose another: PORT=${wanted + 1} npm start`;
    console.error(code === "EADDRINUSE" ? inUse : message);
    process.exitCode = 1;
    stop();
  } else {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    console.log(`http://localhost:${port}, policies ${policies.version}`);
  }
});

function stop() {
  policies.close();
  server.close();
  server.closeAllConnections();
}

process.once("SIGINT", stop);
process.once("SIGTERM", stop);
