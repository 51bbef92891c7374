/** An early router by the types of the newest, which describe what is used of it. */
declare module "koa-router-lowest" {
  import Router from "@koa/router";
  export default Router;
}
