import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { hasBlockedPort } from "./blocked-ports.ts";

test("exactly the ports that fetch refuses are blocked", () => {
  const { badPorts } = createRequire(import.meta.url)("undici/lib/web/fetch/constants.js");
  const ports = Array.from({ length: 65_536 }, (_, port) => port);
  const blocked = ports.filter((port) => hasBlockedPort(new URL(`http://example.com:${port}/`)));
  expect(blocked).toEqual(badPorts.map(Number));
});

test("an address without a port is not blocked", () => {
  expect(hasBlockedPort(new URL("https://example.com/"))).toBe(false);
});
