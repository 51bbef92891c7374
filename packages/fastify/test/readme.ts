import { readFileSync } from "node:fs";

/** Returns the snippets of the package's README. */
export function snippets(): string[] {
  const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  return [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
}

/** Runs a snippet, which imports from `modules`, and returns the final values of the names in `wanted`. */
export async function run(
  snippet: string,
  modules: Readonly<Record<string, unknown>>,
  wanted: readonly string[],
): Promise<Record<string, unknown>> {
  const code = snippet.replaceAll(
    /^import (?:(\w+)(?:, )?)?(?:\{(.+)\} )?\s*from "(.+)";$/gm,
    (_, byDefault = "", named = "", name) =>
      `const { ${byDefault && `default: ${byDefault},`}${named} } = modules[${JSON.stringify(name)}];`,
  );
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const body = `"use strict";\n${code}\nreturn { ${wanted.join(", ")} };`;
  return new AsyncFunction("modules", body)(modules);
}
