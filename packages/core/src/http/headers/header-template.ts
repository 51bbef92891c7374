import { namespaceOf } from "../identity/namespace.ts";
import type { WriteValue } from "./header-field.ts";
import { limitText, type RateStatus, remainingText, usedText, windowText } from "./rate-status.ts";
import { printable, sfString } from "./structured-field.ts";
import { resetWriter, type TimeFormat } from "./time-format.ts";

/** The placeholders that a header's value may contain in braces. */
export const holes: readonly string[] = [
  "limit",
  "remaining",
  "used",
  "window",
  "policy",
  "key",
  "reset",
];

const anyHole = new RegExp(`\\{(${holes.join("|")})\\}`);

/** Whether a string is printable ASCII whose braces all hold placeholders. */
export function isTemplate(text: string): boolean {
  const between = text.split(anyHole).filter((_, i) => i % 2 === 0);
  return /^[\x20-\x7e]+$/.test(text) && between.every((part) => !/[{}]/.test(part));
}

/** Whether a template contains a time. */
export function tellsTime(text: string): boolean {
  return text.includes("{reset}");
}

/**
 * Compiles a template, so that writing it only joins its parts. A policy's name after a quote is escaped as in a String
 * of RFC 9651.
 */
export function headerTemplate(text: string, format: TimeFormat, decimals?: number): WriteValue {
  const parts: (string | WriteValue)[] = [];
  for (const [i, part] of text.split(anyHole).entries()) {
    if (i % 2 === 0) {
      if (part !== "") parts.push(part);
      continue;
    }
    const last = parts.at(-1);
    const quoted = part === "policy" && typeof last === "string" && last.endsWith('"');
    if (part === "reset") parts.push(resetWriter(format, decimals));
    else parts.push(quoted ? quotedPolicyText : writers[part]!);
  }
  const [only] = parts;
  if (parts.length === 1) return typeof only === "string" ? () => only : only!;
  return (status, now) => {
    let written = "";
    for (const part of parts) written += typeof part === "string" ? part : part(status, now);
    return written;
  };
}

const policyText = ofPolicy(printable);
const quotedPolicyText = ofPolicy((policy) => sfString(policy).slice(1, -1));

const writers: Readonly<Record<string, WriteValue>> = {
  limit: limitText,
  remaining: remainingText,
  used: usedText,
  window: windowText,
  policy: policyText,
  key: keyText,
};

/** Encodes each name once: policies are few, and clients cannot add any. */
function ofPolicy(encode: (policy: string) => string): WriteValue {
  const known = new Map<string, string>();
  return ({ policy }) => {
    let text = known.get(policy);
    if (text === undefined) {
      text = encode(policy);
      known.set(policy, text);
    }
    return text;
  };
}

/** A key is printable ASCII, as in stores; its namespace is of no use to a client. */
function keyText({ key = "" }: RateStatus): string {
  const namespace = namespaceOf(key);
  return namespace === undefined ? key : key.slice(namespace.length + 1);
}
