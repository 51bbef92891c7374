import { z } from "zod";
import { expecting } from "../../options/expecting.ts";
import { nearestInCode } from "../../options/nearest.ts";
import { isPlainObject } from "../../plain-object.ts";
import { cidrProblem, hopsProblem } from "../address/trusted-proxies.ts";
import { isToken } from "../headers/structured-field.ts";
import { orList } from "./or-list.ts";

const anEntry = "an address, a CIDR such as 10.0.0.0/8 or a name such as loopback";

const byForwarding = orList(
  '"auto", "framework", false, a number of hops of at least 1, a list of CIDRs, or { header } for another header than X-Forwarded-For',
  isTrust,
  anEntry,
  isEntry,
  (value) => (value === true ? " (how many proxies stand in front, such as 1)" : ""),
);

const byHeader = z.strictObject({
  header: expecting(
    "the name of a header field with one address, such as CF-Connecting-IP",
    (v) => typeof v === "string" && isToken(v) && !isList(v),
    (v) =>
      isList(v)
        ? " (of a list of addresses: how many proxies stand in front, or their networks)"
        : "",
  ),
  from: orList(
    '"auto", 1 for whoever is the peer, or a list of CIDRs',
    (v) => v === "auto" || v === 1,
    anEntry,
    isEntry,
  ).optional(),
});

/** The schema of the option `trustProxy`. */
export const trustProxySchema: z.ZodType = z.unknown().superRefine((value, { addIssue }) => {
  const { error } = (isPlainObject(value) ? byHeader : byForwarding).safeParse(value);
  for (const issue of error?.issues ?? []) {
    const { message, path } = issue;
    if (issue.code !== "unrecognized_keys") addIssue({ code: "custom", message, path });
    else
      for (const key of issue.keys)
        addIssue({ code: "custom", message: unknown(key), path: [key] });
  }
});

function unknown(name: string): string {
  const meant = nearestInCode(name, ["header", "from"]);
  return meant === ""
    ? "a known option: header or from"
    : `a known option (did you mean ${meant}?)`;
}

/** Whether a field lists every hop. Of these fields only X-Forwarded-For is read, according to who is trusted. */
function isList(value: unknown): boolean {
  return typeof value === "string" && /^(?:x-forwarded-for|forwarded)$/i.test(value);
}

function isTrust(value: unknown): boolean {
  if (value === "auto" || value === "framework" || value === false) return true;
  return typeof value === "number" && hopsProblem(value) === undefined;
}

function isEntry(entry: unknown): boolean {
  return typeof entry === "string" && cidrProblem(entry) === undefined;
}
