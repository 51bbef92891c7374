/**
 * Runs before a package is packed or published: npm would leave in its manifest what only pnpm
 * understands, the versions of the catalog and of the workspace, and the exports of the sources.
 */
if (!process.env.npm_config_user_agent?.startsWith("pnpm/")) {
  console.error("npm cannot pack this package. In the root: npm run pack <folder>");
  process.exitCode = 1;
}
