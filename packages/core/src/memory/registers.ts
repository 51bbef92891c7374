import { countersOf, type Policy } from "../policy.ts";
import { type Census, createCensus } from "./census.ts";
import { createRegister, type Register, sweep } from "./register.ts";

/** The registers of a store: one per kind and space of policies, visited in turn. */
export interface Registers {
  readonly census: Census;
  readonly byName: Map<string, Register>;
  order: Register[];
  /** Index of the register that is swept next, and of the one that keys are evicted from next. */
  sweeping: number;
  evicting: number;
  /** At so many registers, those without keys are dropped. */
  pruneAbove: number;
  /** Counts the requests with several charges; 0 in a register that none has named. */
  request: number;
  known: WeakMap<Policy, Register>;
  /** The policy asked for last, and its register. */
  policy: Policy | undefined;
  latest: Register | undefined;
}

/** Up to so many registers are kept, with or without keys. */
const minRegisters = 256;

/** Creates the registers of an empty store. */
export function createRegisters(): Registers {
  return {
    census: createCensus(),
    byName: new Map(),
    order: [],
    sweeping: 0,
    evicting: 0,
    pruneAbove: minRegisters,
    request: 1,
    known: new WeakMap(),
    policy: undefined,
    latest: undefined,
  };
}

/** Finds or creates the register of a policy. */
export function registerOf(registers: Registers, policy: Policy, now: number): Register {
  if (policy !== registers.policy) {
    registers.latest = registers.known.get(policy) ?? openRegister(registers, policy, now);
    registers.policy = policy;
  }
  return registers.latest!;
}

/** Notes that the current request names a register; returns whether it did before, and so perhaps the same key. */
export function isNamedAgain(registers: Registers, register: Register): boolean {
  const again = register.request === registers.request;
  register.request = registers.request;
  return again;
}

/** Visits the next places, through all registers in turn, and removes expired keys. */
export function sweepNext(
  registers: Registers,
  hand: "sweeping" | "evicting",
  atMost: number,
  now: number,
): void {
  const { order } = registers;
  if (order.length === 0) return;
  for (let left = atMost; left > 0; ) {
    const register = order[registers[hand]]!;
    left = sweep(register, register.table[hand], left, now);
    if (left > 0) passOn(registers, hand);
  }
}

/** Moves on to the next register. */
export function passOn(registers: Registers, hand: "sweeping" | "evicting"): void {
  registers[hand] = (registers[hand] + 1) % registers.order.length;
}

function openRegister(registers: Registers, policy: Policy, now: number): Register {
  const { byName, census } = registers;
  const name = countersOf(policy);
  let register = byName.get(name);
  if (register === undefined) {
    if (byName.size >= registers.pruneAbove) prune(registers);
    register = createRegister(policy, now, census);
    byName.set(name, register);
    registers.order = [...byName.values()];
  }
  registers.known.set(policy, register);
  return register;
}

/** Drops empty registers, such as those of policies that were replaced. */
function prune(registers: Registers): void {
  const { byName } = registers;
  for (const [name, { table, request }] of byName) {
    // A register that the current request has named must notice if it is named again.
    if (table.size === 0 && request !== registers.request) byName.delete(name);
  }
  registers.pruneAbove = Math.max(minRegisters, byName.size * 2);
  registers.known = new WeakMap();
  registers.sweeping = 0;
  registers.evicting = 0;
}
