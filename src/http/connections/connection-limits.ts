import type { Socket } from "node:net";
import { addressGroup } from "../../accounts/address-group.ts";
import type { Clock } from "../../lib/clock.ts";
import { trustedAddresses } from "./caller-address.ts";

export type ConnectionLimitSettings = {
  maxConnections: number;
  /** Percentage for one address. */
  connectionShare: number;
  trustedProxies: readonly string[];
};

/**
 * IPv6 addresses count by /64. Trusted proxies have no share: they connect for many callers. Over the limit, a few stay open
 * briefly, so that their first request gets a 503 instead of a reset; others close immediately.
 */
export type ConnectionLimits = {
  /** False if closed immediately. */
  take(socket: Socket): boolean;
  isRefused(socket: Socket): boolean;
};

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
  const refusals = createCounts();
  const refusedSockets = new WeakSet<Socket>();

  async function closeSoon(socket: Socket): Promise<void> {
    const timerAbort = new AbortController();
    socket.once("close", () => timerAbort.abort());
    await clock.sleep(refusedMs, timerAbort.signal).catch(() => undefined);
    socket.destroy();
  }

  return {
    take: (socket) => {
      const { remoteAddress = "" } = socket;
      const group = addressGroup(remoteAddress);
      const isWithinShare = open.countOf(group) < share || isTrusted(remoteAddress);
      if (open.total() < maxConnections && isWithinShare) {
        open.track(group, socket);
        return true;
      }
      if (refusals.total() >= maxRefused || refusals.countOf(group) >= maxRefusedPerAddress) {
        socket.destroy();
        return false;
      }
      refusals.track(group, socket);
      refusedSockets.add(socket);
      void closeSoon(socket);
      return true;
    },
    isRefused: (socket) => refusedSockets.has(socket),
  };
}

function createCounts() {
  const byGroup = new Map<string, number>();
  let total = 0;

  function add(group: string, change: 1 | -1): void {
    total += change;
    const count = (byGroup.get(group) ?? 0) + change;
    if (count === 0) byGroup.delete(group);
    else byGroup.set(group, count);
  }

  return {
    total: () => total,
    countOf: (group: string) => byGroup.get(group) ?? 0,
    track: (group: string, socket: Socket) => {
      add(group, 1);
      socket.once("close", () => add(group, -1));
    },
  };
}
