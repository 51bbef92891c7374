import type { ViteUserConfig } from "vitest/config";

/** The adapters' own suites, once more with the oldest releases that they take. */
const lowest = ["express", "express4", "fastify", "koa", "koa2"].map((name) => ({
  find: new RegExp(`^${name}$`),
  replacement: `${name}-lowest`,
}));

const config: ViteUserConfig = {
  test: {
    maxWorkers: 2,
    // a busy machine is no failure
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "packages/*/{src,test}/**/*.test.ts",
            "packages/toolchain/*.test.ts",
            "examples/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", "**/dist/**", "packages/core/src/**"],
        },
      },
      {
        extends: true,
        test: {
          name: "core",
          include: ["packages/core/src/**/*.test.ts"],
          // they leave nothing behind, and reading the core anew for each file took more time than they do
          isolate: false,
        },
      },
      {
        extends: true,
        resolve: { alias: lowest },
        test: {
          name: "lowest",
          include: ["packages/{express,fastify,koa}/test/**/*.test.ts"],
        },
      },
      {
        extends: true,
        resolve: { alias: { graphql: "graphql17" } },
        test: {
          name: "graphql17",
          include: ["packages/core/src/graphql/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["packages/*/{src,test}/**/*.test-d.ts"],
            checker: "node_modules/typescript7/bin/tsc",
            // the whole workspace is checked by both compilers elsewhere
            ignoreSourceErrors: true,
            tsconfig: "packages/toolchain/tsconfig.workspace.json",
          },
        },
      },
      {
        extends: true,
        test: {
          name: "clients",
          include: ["packages/toolchain/clients/**/*.test.ts"],
        },
      },
    ],
  },
};

export default config;
