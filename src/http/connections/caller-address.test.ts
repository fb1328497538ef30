import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { callerAddressBehind } from "./caller-address.ts";

const proxies = ["10.0.0.0/8", "2001:db8:1::/48", "::ffff:192.0.2.0/120"];

function callerAddress(connected: string, forwarded?: string, trusted = proxies): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const socket = { remoteAddress: connected } as IncomingMessage["socket"];
  return callerAddressBehind(trusted)({ headers, socket });
}

test.each([
  ["a connection without a proxy", "198.51.100.7", undefined, "198.51.100.7"],
  ["a connection that is not a trusted proxy", "198.51.100.7", "203.0.113.9", "198.51.100.7"],
  ["a trusted proxy", "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a trusted proxy that connects as mapped IPv6", "::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a network of proxies in mapped form", "192.0.2.77", "203.0.113.9", "203.0.113.9"],
  ["a trusted proxy that sends no X-Forwarded-For", "10.1.2.3", undefined, "10.1.2.3"],
  ["two proxies", "10.1.2.3", "203.0.113.9, 10.9.9.9", "203.0.113.9"],
  ["an entry that the caller wrote itself", "10.1.2.3", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["only trusted proxies", "10.1.2.3", "10.4.4.4,10.5.5.5", "10.4.4.4"],
  ["an IPv4 address with a port", "10.1.2.3", "203.0.113.9:5678", "203.0.113.9"],
  ["an IPv6 address with a port", "10.1.2.3", "[2001:db8::9]:80", "2001:db8::9"],
  ["an IPv6 address in brackets", "10.1.2.3", "[2001:db8::9]", "2001:db8::9"],
  ["a mapped IPv4 address", "10.1.2.3", "::ffff:203.0.113.9", "203.0.113.9"],
  ["a mapped IPv4 address in hexadecimal", "10.1.2.3", "::FFFF:cb00:7109", "203.0.113.9"],
  ["an IPv6 address in another spelling", "10.1.2.3", "2001:0DB8:0:0::0009", "2001:db8::9"],
  ["an IPv6 address with a zone", "10.1.2.3", "fe80::1%eth0", "fe80::1"],
  ["spaces around an entry", "10.1.2.3", " 203.0.113.9 ", "203.0.113.9"],
])("a request is attributed to one address: %s", (_, connected, forwarded, expected) => {
  expect(callerAddress(connected, forwarded)).toBe(expected);
});

test.each([
  "",
  "unknown",
  "_hidden",
  "203.0.113.9:port",
  "203.0.113.9:123456",
  "203.0.113",
  "1",
  "0x7f.1",
  "203.0.113.09",
  "[203.0.113.9",
  "a".repeat(10_000),
  "203.0.113.9,",
  "203.0.113.9 198.51.100.7",
  "nonsense, 10.9.9.9",
])(
  "the connection's address is used when an entry in X-Forwarded-For is not an address: %j",
  (forwarded) => {
    expect(callerAddress("10.1.2.3", forwarded)).toBe("10.1.2.3");
  },
);

test("a long X-Forwarded-For header is read from its end, only as far as proxies are trusted", () => {
  expect(callerAddress("10.1.2.3", `${"1.1.1.1,".repeat(100_000)}203.0.113.9`)).toBe("203.0.113.9");
});

test("X-Forwarded-For is ignored if no proxy is trusted", () => {
  expect(callerAddress("10.1.2.3", "203.0.113.9", [])).toBe("10.1.2.3");
});
