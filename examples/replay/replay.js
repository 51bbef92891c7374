import { command } from "./command.js";

// whoever reads only the first lines (head) has had enough: that is no failure
process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== "EPIPE") throw error;
});

process.exitCode = await command(process.argv.slice(2), process);
