import { describe, expect, it } from "vitest";
import { clientAddress } from "../src/http/address/client-address.ts";
import { trustedProxies } from "../src/http/address/trusted-proxies.ts";
import { keyOf } from "../src/http/index.ts";
import { pageAt, tablesOf } from "./docs/page.ts";

const tables = tablesOf(pageAt("docs/identity.md"));

function rowsOf(mark: string): string[][] {
  const [, ...rows] = tables.find((table) => table.mark === mark)!.rows;
  return rows.map((row) => row.map((cell) => cell.replace(/^`(.*)`$/, "$1")));
}

describe("the keys of docs/identity.md", () => {
  it.each(rowsOf("keys"))("%s is %s", (call, key) => {
    const [, name, texts, option, prefix] =
      /^keyOf\.(\w+)\(("[^{]+")(?:, \{ (ipv[46]Prefix): (\d+) \})?\)$/.exec(call!)!;
    const given = JSON.parse(`[${texts}]`) as [string, ...string[]];
    const make = keyOf[name as keyof typeof keyOf] as (...given: readonly string[]) => string;
    expect(option ? keyOf.ip(given[0], { [option]: Number(prefix) }) : make(...given)).toBe(key);
  });
});

describe("the addresses of docs/identity.md", () => {
  it.each(rowsOf("addresses"))("trustProxy %s, peer %s, X-Forwarded-For %s: %s", (...row) => {
    const [trustProxy, peer, forwardedFor, client] = row as [string, string, string, string];
    const found = clientAddress({
      peer: peer === "none" ? undefined : peer,
      forwardedFor,
      trust: trustedProxies(JSON.parse(trustProxy)),
    });
    expect(found ?? "none").toBe(client);
  });
});
