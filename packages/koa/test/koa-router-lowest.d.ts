/** An early router with the types of the newest, which describe the parts that are used. */
declare module "koa-router-lowest" {
  import Router from "@koa/router";
  export default Router;
}
