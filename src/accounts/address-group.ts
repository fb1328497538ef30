import ipaddr from "ipaddr.js";

/** The IPv4 address, or the IPv6 /64, which is usually one household's. */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}

/** IPv4 /24 or IPv6 /64, else "unknown". */
export function addressNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.kind() === "ipv4") return `${bytes.slice(0, 3).join(".")}.0/24`;
  const network = [...bytes.slice(0, 8), ...Array.from({ length: 8 }, () => 0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
