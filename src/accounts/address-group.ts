import ipaddr from "ipaddr.js";

/**
 * What counts as one address: an IPv4 address, also when written as IPv6, or the 64-bit network of an IPv6 address, of which
 * a household has one and each of its machines as many addresses as it likes.
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}
