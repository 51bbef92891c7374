import { z } from "zod";
import { expecting } from "../../options/expecting.ts";
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
    "the name of a header field such as CF-Connecting-IP",
    (v) => typeof v === "string" && isToken(v),
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
  const named = typeof value === "object" && value !== null && !Array.isArray(value);
  const { error } = (named ? byHeader : byForwarding).safeParse(value);
  for (const { path, ...issue } of error?.issues ?? []) {
    if (issue.code === "unrecognized_keys") addIssue({ code: issue.code, keys: issue.keys, path });
    else addIssue({ code: "custom", message: issue.message, path });
  }
});

function isTrust(value: unknown): boolean {
  if (value === "auto" || value === "framework" || value === false) return true;
  return typeof value === "number" && hopsProblem(value) === undefined;
}

function isEntry(entry: unknown): boolean {
  return typeof entry === "string" && cidrProblem(entry) === undefined;
}
