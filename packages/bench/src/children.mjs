import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Starts a file, by its URL, in a process of its own; resolves with the process and its first message. */
export async function start(file, args, options) {
  const child = fork(fileURLToPath(file), args, options);
  child.on("exit", (code) => {
    if (code) console.error(`${args.join(" ")}: ended with ${code}`);
  });
  return { child, said: await answer(child) };
}

/** Sends a message to a process, and resolves with its reply. */
export function ask(child, what) {
  child.send(what);
  return answer(child);
}

function answer(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`A process that is measured ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message);
    });
  });
}
