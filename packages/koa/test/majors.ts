import Koa3 from "koa";
import Koa2 from "koa2";

/** The majors of Koa that the adapter supports. */
export const majors: readonly { readonly name: string; readonly Koa: typeof Koa3 }[] = [
  { name: "Koa 3", Koa: Koa3 },
  { name: "Koa 2", Koa: Koa2 },
];
