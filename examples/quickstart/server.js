import { createApp } from "./app.js";
import { portOf } from "./port.js";
import { serve } from "./serve.js";
import { welcome } from "./welcome.js";

try {
  const server = await serve(createApp(), portOf(process.env.PORT));
  console.log(welcome(/** @type {import("node:net").AddressInfo} */ (server.address()).port));
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => {
      server.close();
      // a browser keeps its connections open, and the process with them
      server.closeAllConnections();
    });
  }
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
