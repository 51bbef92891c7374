const assert = require("node:assert/strict");

/** Costs a query where the application has the graphql package, and is told of it where it has not. */
module.exports = async function costQueries(load) {
  const { graphql } = require("./package.json").dependencies;
  if (!graphql) {
    await assert.rejects(load, /Cannot find (package|module) 'graphql'/);
    return;
  }
  const { graphqlCost } = await load();
  assert.equal(graphqlCost()({ body: { query: "{ users(first: 9) { id } }" } }), 10);
};
