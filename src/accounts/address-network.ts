import ipaddr from "ipaddr.js";

/**
 * The network of an address, as its owner is shown where something came from: 24 bits of an IPv4 address, also when written as
 * IPv6, 64 of an IPv6 one. What is no address is "unknown".
 */
export function addressNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.kind() === "ipv4") return `${bytes.slice(0, 3).join(".")}.0/24`;
  const network = [...bytes.slice(0, 8), ...Array.from({ length: 8 }, () => 0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
