import express5, { type Express } from "express";
import express4 from "express4";

/** The majors of Express that the adapter supports. Their own types differ, and are checked separately. */
export const majors: readonly { readonly name: string; readonly express: typeof express5 }[] = [
  { name: "Express 5", express: express5 },
  { name: "Express 4", express: express4 as unknown as typeof express5 },
];

export type { Express };
