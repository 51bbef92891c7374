import { defineConfig, type UserConfig } from "tsdown";

const config: UserConfig = defineConfig({
  entry: {
    index: "src/index.ts",
    graphql: "src/graphql/index.ts",
    http: "src/http/index.ts",
    "policy-file": "src/policy-file/index.ts",
    testing: "src/testing/index.ts",
  },
  format: ["esm", "cjs"],
  platform: "node",
  target: "node20.19",
  dts: true,
  // left alone, rolldown puts its helpers into one entry, and every other one then loads that entry
  outputOptions: { codeSplitting: { groups: [{ name: "interop", test: /rolldown.runtime/ }] } },
});

export default config;
