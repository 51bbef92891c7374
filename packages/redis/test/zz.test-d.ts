import { expectTypeOf, it } from "vitest";

it("types", () => {
  expectTypeOf(1).toEqualTypeOf<string>();
});
it("fine", () => {
  expectTypeOf(1).toEqualTypeOf<number>();
});
