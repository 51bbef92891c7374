import { createApp } from "./app.js";

const app = await createApp();
console.log(await app.listen({ port: Number(process.env.PORT || 3000) }));
