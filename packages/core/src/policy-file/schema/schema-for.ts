import type { z } from "zod";

/**
 * Gives a schema the named type that it infers; a schema of any other type does not compile. Declarations are emitted
 * per file and cannot express inferred types.
 */
export function schemaFor<Data>(): <Schema extends z.ZodType>(
  schema: Schema & (Same<z.output<Schema>, Data> extends true ? unknown : never),
) => z.ZodType<Data> {
  return (schema) => schema as z.ZodType as z.ZodType<Data>;
}

type Same<A, B> = Identical<Mutable<A>, Mutable<B>>;

type Identical<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type Mutable<T> = T extends object ? { -readonly [Name in keyof T]: Mutable<T[Name]> } : T;

/** The fields of an object's schema, for a type whose optional properties may be undefined. */
export type Shape<Data> = {
  readonly [Name in keyof Data]-?: undefined extends Data[Name]
    ? z.ZodOptional<z.ZodType<Exclude<Data[Name], undefined>>>
    : z.ZodType<Data[Name]>;
};
