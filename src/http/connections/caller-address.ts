import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type CallerAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string;

/**
 * Behind a trusted proxy, the last entry of `X-Forwarded-For` that is not one. If an entry is invalid, the connection's address
 * counts, so that callers cannot forge one.
 */
export function callerAddressBehind(trustedProxies: readonly string[]): CallerAddress {
  const isTrusted = trustedAddresses(trustedProxies);
  return ({ headers, socket }) => {
    const connected = plainAddress(socket.remoteAddress ?? "");
    const field = headers["x-forwarded-for"];
    if (typeof field !== "string" || !isTrusted(connected)) return connected;
    let caller = connected;
    for (const entry of entriesFromLast(field)) {
      const address = getAddress(entry);
      if (address === null) return connected;
      caller = address;
      if (!isTrusted(address)) break;
    }
    return caller;
  };
}

export function trustedAddresses(trustedProxies: readonly string[]): (address: string) => boolean {
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

/** The nearest proxy appends; a caller may send thousands. */
function* entriesFromLast(field: string): Generator<string> {
  let end = field.length;
  while (end >= 0) {
    const comma = end === 0 ? -1 : field.lastIndexOf(",", end - 1);
    yield field.slice(comma + 1, end).trim();
    end = comma;
  }
}

const withPort = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+):\d{1,5})$/;

function getAddress(entry: string): string | null {
  const [, v6, v4] = withPort.exec(entry) ?? [];
  const address = v6 ?? v4 ?? entry;
  return isIP(address) === 0 ? null : plainAddress(address);
}

function plainAddress(address: string): string {
  const [withoutZone = ""] = address.split("%");
  return ipaddr.isValid(withoutZone) ? ipaddr.process(withoutZone).toString() : address;
}
