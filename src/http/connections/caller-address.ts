import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { addressGroup } from "../../accounts/client-addresses.ts";
import type { Clock } from "../../lib/clock.ts";

export type CallerAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string;

/**
 * Behind a trusted proxy, returns the last untrusted entry of `X-Forwarded-For`. If an entry is
 * invalid, returns the connection's address, so that callers cannot forge one.
 */
export function callerAddressBehind(trustedProxies: readonly string[]): CallerAddress {
  const isTrusted = trustedAddresses(trustedProxies);
  return ({ headers, socket }) => {
    const connectionAddress = plainAddress(socket.remoteAddress ?? "");
    const field = headers["x-forwarded-for"];
    if (typeof field !== "string" || !isTrusted(connectionAddress)) return connectionAddress;
    let caller = connectionAddress;
    for (const entry of entriesFromLast(field)) {
      const address = getAddress(entry);
      if (address === null) return connectionAddress;
      caller = address;
      if (!isTrusted(address)) break;
    }
    return caller;
  };
}

function trustedAddresses(trustedProxies: readonly string[]): (address: string) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const networks = trustedProxies.map(parseNetwork);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  };
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

function parseNetwork(text: string): Network {
  if (!text.includes("/")) {
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  }
  const [network, bits] = ipaddr.parseCIDR(text);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [network.toIPv4Address(), bits - 96] : [network, bits];
}

/** The nearest proxy appends its entry; a caller may send thousands. */
function* entriesFromLast(field: string): Generator<string> {
  let end = field.length;
  while (end >= 0) {
    const comma = end === 0 ? -1 : field.lastIndexOf(",", end - 1);
    yield field.slice(comma + 1, end).trim();
    end = comma;
  }
}

const hostAndPort = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+):\d{1,5})$/;

function getAddress(entry: string): string | null {
  const [, v6, v4] = hostAndPort.exec(entry) ?? [];
  const address = v6 ?? v4 ?? entry;
  return isIP(address) === 0 ? null : plainAddress(address);
}

function plainAddress(address: string): string {
  const [withoutZone = ""] = address.split("%");
  return ipaddr.isValid(withoutZone) ? ipaddr.process(withoutZone).toString() : address;
}

export type ConnectionLimitSettings = {
  maxConnections: number;
  /** Maximum percentage of connections from one address. */
  connectionShare: number;
  trustedProxies: readonly string[];
};

/**
 * IPv6 addresses are counted by /64. Trusted proxies have no share, because they connect for many
 * callers. Over the limit, a few connections stay open briefly, so that their first request gets a
 * 503 instead of a reset; others are closed.
 */
export type ConnectionLimits = {
  /** False if it was closed immediately. */
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
  const openConnections = createCounts();
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
      const isWithinShare = openConnections.countOf(group) < share || isTrusted(remoteAddress);
      if (openConnections.total() < maxConnections && isWithinShare) {
        openConnections.track(group, socket);
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
