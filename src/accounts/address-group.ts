import ipaddr from "ipaddr.js";

/** The unit of per-address limits: an IPv4 address or an IPv6 /64, because one household has a whole /64. */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}
