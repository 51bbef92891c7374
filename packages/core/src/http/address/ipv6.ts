import { readIpv4 } from "./ipv4.ts";

/** The eight 16-bit groups of an IPv6 address, first group first. */
export type Ipv6Groups = Uint16Array;

/**
 * Parses `text[from, to)` as an IPv6 address, without brackets or zone, into `groups`.
 *
 * Accepts every notation of RFC 4291, section 2.2: any case, `::`, a dotted tail. Returns whether it is an address; if
 * not, the content of `groups` is meaningless.
 */
export function readIpv6(text: string, from: number, to: number, groups: Ipv6Groups): boolean {
  if (to - from < 2) return false;
  let count = 0;
  let gap = -1;
  let at = from;
  if (text.charCodeAt(at) === colon) {
    if (text.charCodeAt(at + 1) !== colon) return false;
    gap = 0;
    at += 2;
  }
  while (at < to) {
    if (count === 8) return false;
    const start = at;
    let group = 0;
    for (let digit = 0; at < to; at++) {
      digit = hexDigit(text.charCodeAt(at));
      if (digit < 0) break;
      if (at - start === 4) return false;
      group = group * 16 + digit;
    }
    if (at < to && text.charCodeAt(at) === dot) {
      const bits = count > 6 ? -1 : readIpv4(text, start, to);
      if (bits < 0) return false;
      groups[count++] = bits >>> 16;
      groups[count++] = bits & 0xffff;
      break;
    }
    if (at === start) return false;
    groups[count++] = group;
    if (at === to) break;
    if (text.charCodeAt(at) !== colon || ++at === to) return false;
    if (text.charCodeAt(at) === colon) {
      if (gap >= 0) return false;
      gap = count;
      at++;
    }
  }
  if (gap < 0) return count === 8;
  if (count === 8) return false;
  groups.copyWithin(8 - (count - gap), gap, count);
  groups.fill(0, gap, 8 - (count - gap));
  return true;
}

/** Returns the canonical notation of RFC 5952: lower case, the first longest run of zeros as `::`. */
export function writeIpv6(groups: Ipv6Groups): string {
  let gap = -1;
  let length = 1;
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groups[end] === 0) end++;
    if (end - start > length) {
      gap = start;
      length = end - start;
    }
    if (end > start) start = end;
  }
  let text = "";
  for (let at = 0; at < 8; at++) {
    if (at === gap) {
      text += "::";
      at += length - 1;
      continue;
    }
    if (text !== "" && !text.endsWith(":")) text += ":";
    text += groups[at]!.toString(16);
  }
  return text;
}

/** Zeroes every bit of `groups` after the first `prefix` ones, in place. */
export function maskIpv6(groups: Ipv6Groups, prefix: number): void {
  for (let at = 0; at < 8; at++) {
    const kept = Math.min(16, Math.max(0, prefix - at * 16));
    groups[at]! &= 0xffff << (16 - kept);
  }
}

/** Returns the 32 bits of an IPv4-mapped address (`::ffff:0:0/96`), or -1 for any other. */
export function mappedIpv4(groups: Ipv6Groups): number {
  return groups[5] === 0xffff && isZero(groups, 0, 5) ? lastBits(groups) : -1;
}

/** Returns the 32 bits of an IPv4 address behind a translator (`64:ff9b::/96`, RFC 6052), or -1. */
export function translatedIpv4(groups: Ipv6Groups): number {
  const translated = groups[0] === 0x64 && groups[1] === 0xff9b && isZero(groups, 2, 6);
  return translated ? lastBits(groups) : -1;
}

const colon = 0x3a;
const dot = 0x2e;

function lastBits(groups: Ipv6Groups): number {
  return groups[6]! * 0x10000 + groups[7]!;
}

function isZero(groups: Ipv6Groups, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (groups[at] !== 0) return false;
  return true;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
