import { countersOf, type Policy } from "../policy.ts";
import { type Census, createCensus } from "./census.ts";
import { createRegister, type Register, sweep } from "./register.ts";

/** The registers of a store: one for the policies of each kind and space, and a hand that goes through all in turn. */
export interface Registers {
  readonly census: Census;
  readonly byName: Map<string, Register>;
  /** All of them, and whose turn it is. */
  order: Register[];
  turn: number;
  /** With so many those without a key are let go. */
  crowd: number;
  /** Counts the requests with several charges; a register that none has named is at 0. */
  request: number;
  known: WeakMap<Policy, Register>;
  /** Of whom one was asked for last, and which that is. */
  policy: Policy | undefined;
  latest: Register | undefined;
}

/** Registers below this number are kept, with or without keys. */
const minRegisters = 256;

export function createRegisters(): Registers {
  return {
    census: createCensus(),
    byName: new Map(),
    order: [],
    turn: 0,
    crowd: minRegisters,
    request: 1,
    known: new WeakMap(),
    policy: undefined,
    latest: undefined,
  };
}

/** Finds the register of a policy, or opens it. */
export function registerOf(registers: Registers, policy: Policy, now: number): Register {
  if (policy !== registers.policy) {
    registers.latest = registers.known.get(policy) ?? openRegister(registers, policy, now);
    registers.policy = policy;
  }
  return registers.latest!;
}

/** Notes that the request of now names a register; answers whether it has named it before, and so perhaps a key. */
export function isNamedAgain(registers: Registers, register: Register): boolean {
  const again = register.request === registers.request;
  register.request = registers.request;
  return again;
}

/** Looks at the next places, through all registers in turn, and forgets what is as good as new. */
export function sweepNext(registers: Registers, atMost: number, now: number): void {
  const { order } = registers;
  if (order.length === 0) return;
  for (let left = atMost; left > 0; ) {
    left = sweep(order[registers.turn]!, left, now);
    if (left > 0) passOn(registers);
  }
}

/** Gives the next register its turn. */
export function passOn(registers: Registers): void {
  registers.turn = (registers.turn + 1) % registers.order.length;
}

function openRegister(registers: Registers, policy: Policy, now: number): Register {
  const { byName, census } = registers;
  const name = countersOf(policy);
  let register = byName.get(name);
  if (register === undefined) {
    if (byName.size >= registers.crowd) letGo(registers);
    register = createRegister(policy, now, census);
    byName.set(name, register);
    registers.order = [...byName.values()];
  }
  registers.known.set(policy, register);
  return register;
}

/** Policies that were exchanged for others leave registers that nobody asks any more. */
function letGo(registers: Registers): void {
  const { byName } = registers;
  for (const [name, { table, request }] of byName) {
    // One that this request has met tells whether it names a key again.
    if (table.size === 0 && request !== registers.request) byName.delete(name);
  }
  registers.crowd = Math.max(minRegisters, byName.size * 2);
  registers.known = new WeakMap();
  registers.turn = 0;
}
