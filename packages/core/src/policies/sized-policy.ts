import { type Awaitable, settled } from "../awaitable.ts";
import { ConfigError } from "../errors.ts";
import { burstOf, type PolicyOptions } from "../options/policy-options.ts";
import type { Policy } from "../policy.ts";
import { wholeOf } from "../whole.ts";
import type { CalendarUnit } from "./calendar.ts";
import { readWindow, type WindowTerms, windowOf } from "./window.ts";

/** How much, in which time: numbers, or functions of the request. */
export type Size = Pick<PolicyOptions<unknown>, "limit" | "burst" | "window">;

/** The policies of one size. */
export interface SizedPolicy {
  /** The only policy; undefined when functions of the request decide. */
  readonly constant: Policy | undefined;
  policyFor(req: unknown): Awaitable<Policy>;
}

/** What compiling a size needs. */
export interface SizeDeps {
  readonly policy: WindowTerms;
  make(limit: number, burst: number | undefined, window: number | CalendarUnit): Policy;
  /** Returns the path prefix of an option. */
  place(option: string): string;
  /** Rewrites an error about a number that the algorithm cannot represent, to name its origin. */
  blame(error: ConfigError): ConfigError;
}

/** How many function results are kept compiled. */
const maxSizes = 256;

/** Compiles a size: at once if it is fixed, else once per result of its functions, keeping recent ones. */
export function sizedPolicy({ limit, burst, window }: Size, means: SizeDeps): SizedPolicy {
  const { policy, place } = means;
  const make: SizeDeps["make"] = (units, most, length) => {
    try {
      return means.make(units, most, length);
    } catch (error) {
      throw error instanceof ConfigError ? means.blame(error) : error;
    }
  };
  const known = new Map<number | string, Policy>();
  const remember = (name: number | string, made: Policy): Policy => {
    if (known.size >= maxSizes) known.clear();
    known.set(name, made);
    return made;
  };
  const limitOf = (value: unknown): number => wholeOf(value, place("limit"));

  if (typeof burst !== "function" && typeof window !== "function") {
    const length = readWindow(window)!;
    if (typeof limit !== "function") {
      const constant = make(limit, burst, length);
      return { constant, policyFor: () => constant };
    }
    // Reports at once what is invalid for any limit.
    make(0, burst, length);
    const policyOf = (value: unknown): Policy => {
      const units = limitOf(value);
      return known.get(units) ?? remember(units, make(units, burst, length));
    };
    return { constant: undefined, policyFor: (req) => settled(limit(req), policyOf) };
  }

  const policyOf = (units: number, most: number | undefined, answer: unknown): Policy => {
    // Other values that convert to the same string must not match its entry.
    const isNamed = typeof answer === "number" || typeof answer === "string";
    const name =
      isNamed && `${units}/${most}/${typeof answer === "string" ? `"${answer}` : answer}`;
    const found = name && known.get(name);
    if (found) return found;
    const made = make(units, most, windowOf(answer, policy, place("window")));
    return name ? remember(name, made) : made;
  };
  return {
    constant: undefined,
    policyFor: (req) =>
      settled(asked<unknown>(limit, req), (value) => {
        const units = limitOf(value);
        return settled(asked<unknown>(burst, req), (answer) => {
          const most = burst === undefined ? undefined : burstOf(answer, place("burst"));
          return settled(asked<unknown>(window, req), (length) => policyOf(units, most, length));
        });
      }),
  };
}

function asked<T>(value: T | ((req: unknown) => Awaitable<T>), req: unknown): Awaitable<T> {
  return typeof value === "function" ? (value as (req: unknown) => Awaitable<T>)(req) : value;
}
