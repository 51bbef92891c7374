import { createApp } from "./app.js";

const port = Number(process.env.PORT || 3000);
createApp()
  .listen(port, () => console.log(`ws://localhost:${port}`))
  .on("error", (error) => {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const inUse = `Port ${port} is in use. Choose another: PORT=${port + 1} npm start`;
    console.error(code === "EADDRINUSE" ? inUse : message);
    process.exitCode = 1;
  });
