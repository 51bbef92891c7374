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

const server = createApp({ policies }).listen(Number(process.env.PORT || 3000), (error) => {
  if (error) throw error;
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.log(`http://localhost:${port}, policies ${policies.version}`);
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    policies.close();
    server.close();
    server.closeAllConnections();
  });
}
