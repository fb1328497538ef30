/**
 * One address has at most a share of all connections, so that it cannot take them all; trusted proxies have no share. A
 * connection above the limit is kept briefly, so that its request gets a 503 instead of a reset.
 */

import type { Socket } from "node:net";
import { addressGroup } from "../../accounts/address-group.ts";
import type { Clock } from "../../lib/clock.ts";
import { trustedAddresses } from "./caller-address.ts";

export type ConnectionLimitSettings = {
  maxConnections: number;
  /** Percent of them that one address may have. */
  connectionShare: number;
  trustedProxies: readonly string[];
};

/**
 * Bounds the open connections: of all addresses together, and of each (IPv6 by networks of 64 bits) to its share, so that no
 * address takes all of them. Trusted proxies have no share, as they connect for many callers. A connection too many is open a
 * little longer, apart from the others, so that its first request is answered with the reason; beyond a few of those it is closed
 * at once.
 */
export type ConnectionLimits = {
  /** Counts a new connection until it closes. False when it was closed at once. */
  take(socket: Socket): boolean;
  /** Whether the connection is one too many: its request is to be refused. */
  isRefused(socket: Socket): boolean;
};

/** How long a connection too many may take to send its request. */
const refusedMs = 2_000;
const maxRefused = 128;
const maxRefusedPerAddress = 4;

export function createConnectionLimits(
  { maxConnections, connectionShare, trustedProxies }: ConnectionLimitSettings,
  clock: Pick<Clock, "sleep">,
): ConnectionLimits {
  const isTrusted = trustedAddresses(trustedProxies);
  const share = Math.max(1, Math.floor((maxConnections * connectionShare) / 100));
  const open = createCounts();
  const refused = createCounts();
  const refusedSockets = new WeakSet<Socket>();

  async function closeSoon(socket: Socket): Promise<void> {
    const over = new AbortController();
    socket.once("close", () => over.abort());
    await clock.sleep(refusedMs, over.signal).catch(() => undefined);
    socket.destroy();
  }

  return {
    take: (socket) => {
      const { remoteAddress = "" } = socket;
      const group = addressGroup(remoteAddress);
      const isWithinShare = open.of(group) < share || isTrusted(remoteAddress);
      if (open.total() < maxConnections && isWithinShare) {
        open.add(group, socket);
        return true;
      }
      if (refused.total() >= maxRefused || refused.of(group) >= maxRefusedPerAddress) {
        socket.destroy();
        return false;
      }
      refused.add(group, socket);
      refusedSockets.add(socket);
      void closeSoon(socket);
      return true;
    },
    isRefused: (socket) => refusedSockets.has(socket),
  };
}

/** Open connections by the group of their address. */
function createCounts() {
  const byGroup = new Map<string, number>();
  let total = 0;

  function change(group: string, by: 1 | -1): void {
    total += by;
    const count = (byGroup.get(group) ?? 0) + by;
    if (count === 0) byGroup.delete(group);
    else byGroup.set(group, count);
  }

  return {
    total: () => total,
    of: (group: string) => byGroup.get(group) ?? 0,
    add: (group: string, socket: Socket) => {
      change(group, 1);
      socket.once("close", () => change(group, -1));
    },
  };
}
