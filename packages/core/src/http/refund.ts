import type { ServerResponse } from "node:http";
import type { Charge, Receipt } from "../store.ts";
import { hasLeft } from "./hold.ts";

/** Whether an outcome gives a charge back. `status` is 499 where the client left before the head of the answer. */
export type Refunds = (status: number, req: unknown) => boolean;

/** The status that stands for a client that left before the head of the answer was written. */
export const clientLeft = 499;

/** Compiles the option `refund`. */
export function refundsOf(option: unknown): Refunds | undefined {
  if (option === "failed") return (status) => status >= 400;
  if (option === "successful") return (status) => status < 400;
  return option as Refunds | undefined;
}

/** Calls back once with the status on the wire, when the answer is over or the client has left. */
export function settle(res: ServerResponse, then: (status: number) => void): void {
  const over = (): void => then(res.headersSent ? res.statusCode : clientLeft);
  if (hasLeft(res)) over();
  else res.once("close", over);
}

/** The part of a receipt that is given back. */
export function refundable(
  receipt: Receipt,
  wanted: (charge: Charge, index: number) => boolean,
): Receipt | undefined {
  const picked = receipt.charges.map((charge, i) => wanted(charge, i));
  if (!picked.includes(true)) return undefined;
  const of = <T>(values: readonly T[]): T[] => values.filter((_, i) => picked[i]);
  const { now, charges, fits, states } = receipt;
  return { now, charges: of(charges), fits: of(fits), states: of(states) };
}
