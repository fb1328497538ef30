import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { type ConnectionLimitSettings, createConnectionLimits } from "./caller-address.ts";

let clock: ManualClock;
beforeEach(() => {
  clock = createManualClock();
});

const makeLimits = (settings: Partial<ConnectionLimitSettings> = {}) =>
  createConnectionLimits(
    { maxConnections: 60, connectionShare: 10, trustedProxies: ["10.0.0.0/8"], ...settings },
    clock,
  );

function socketFrom(remoteAddress: string) {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    destroyed: false,
    destroy: () => {
      socket.destroyed = true;
      socket.emit("close");
    },
  });
  return socket as unknown as Socket;
}

function listOutcomes(
  limits: ReturnType<typeof makeLimits>,
  count: number,
  addressOf: (n: number) => string,
): string[] {
  return Array.from({ length: count }, (_, n) => {
    const socket = socketFrom(addressOf(n));
    if (!limits.take(socket)) return "closed";
    return limits.isRefused(socket) ? "refused" : "open";
  });
}

const times = (count: number, outcome: string): string[] => Array(count).fill(outcome);

test("an address that tries to open all connections gets only its share", () => {
  const limits = makeLimits();
  expect(listOutcomes(limits, 60, () => "203.0.113.9")).toEqual([
    ...times(6, "open"),
    ...times(4, "refused"),
    ...times(50, "closed"),
  ]);
  expect(listOutcomes(limits, 1, () => "203.0.113.10")).toEqual(["open"]);
});

test.each<[string, (n: number) => string]>([
  ["an IPv6 network of 64 bits", (n) => `2001:db8:1:2::${n}`],
  ["both spellings of an IPv4 address", (n) => `${n % 2 ? "::ffff:" : ""}203.0.113.9`],
])("%s counts as one address for the connection limit", (_, addressOf) => {
  expect(listOutcomes(makeLimits(), 7, addressOf)).toEqual([...times(6, "open"), "refused"]);
});

test("a trusted proxy may use all connections, but no more", () => {
  expect(listOutcomes(makeLimits(), 61, () => "10.1.2.3")).toEqual([
    ...times(60, "open"),
    "refused",
  ]);
});

test("the connections of all addresses together are limited", () => {
  const outcomes = listOutcomes(makeLimits({ connectionShare: 100 }), 61, (n) => `203.0.113.${n}`);
  expect(outcomes).toEqual([...times(60, "open"), "refused"]);
});

test("a closed connection makes room for another", () => {
  const limits = makeLimits({ maxConnections: 1 });
  const first = socketFrom("203.0.113.9");
  limits.take(first);
  expect(listOutcomes(limits, 1, () => "203.0.113.9")).toEqual(["refused"]);
  first.destroy();
  expect(listOutcomes(limits, 1, () => "203.0.113.9")).toEqual(["open"]);
});

test("excess connections are closed after two seconds, which makes room for others", async () => {
  const limits = makeLimits({ maxConnections: 1 });
  limits.take(socketFrom("203.0.113.9"));
  const excessSockets = Array.from({ length: 4 }, () => socketFrom("203.0.113.9"));
  for (const socket of excessSockets) limits.take(socket);
  expect(listOutcomes(limits, 1, () => "203.0.113.9")).toEqual(["closed"]);
  await clock.advance(2_000);
  expect(excessSockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true]);
  expect(listOutcomes(limits, 1, () => "203.0.113.9")).toEqual(["refused"]);
});
