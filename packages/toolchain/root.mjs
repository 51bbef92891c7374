import { fileURLToPath } from "node:url";

/** Names the folder that holds the whole repository, without a slash at its end. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");
