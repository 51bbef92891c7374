import { blankState, type Params, type Policy } from "@spillway/core";
import { policyCode } from "./policy-code.ts";
import { type StateForm, stateForm } from "./state-form.ts";
import { placeOfTwin } from "./twins.ts";

/** What the scripts need to know of a policy, computed once per params. */
export interface PolicyShape {
  readonly params: Params;
  /** As JSON. */
  readonly text: string;
  /** How many numbers its reports have. */
  readonly reportLength: number;
  /** The form of its states; undefined for rings. */
  readonly form: StateForm | undefined;
  /** The times at which its params are valid, epoch milliseconds: from the first and before the second. */
  readonly span: readonly [from: number, end: number];
}

/** The span of params that do not depend on the time. */
const always = [0, Infinity] as const;

const shapes = new WeakMap<Policy, PolicyShape>();

/** Returns the shape of a policy at a time. */
export function shapeOf(policy: Policy, now: number): PolicyShape {
  const params = policy.params(now);
  const known = shapes.get(policy);
  if (known?.params === params) return known;
  const { algorithm } = policy;
  const blank = blankState(algorithm, params);
  const reportLength = algorithm.report(blank, 0, 0, params).length;
  const place = placeOfTwin(algorithm.name);
  const ring = algorithm.layout(params).includes("ring");
  const widths = algorithm.usual(params, now).map(widthOf);
  const form = ring ? undefined : stateForm(place, algorithm.lua, widths);
  const text = policyCode(params, algorithm.slots(params), place, policy);
  const span = algorithm.span?.(params) ?? always;
  const shape = { params, text, reportLength, form, span };
  shapes.set(policy, shape);
  return shape;
}

/** Returns the bytes that a number takes, 1 to 7. */
function widthOf(number: number): number {
  let width = 1;
  while (width < 7 && number >= 256 ** width) width++;
  return width;
}
