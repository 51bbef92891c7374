/** Koa 2 with the types of Koa 3, which describe both. */
declare module "koa2" {
  import Koa from "koa";
  export default Koa;
}
