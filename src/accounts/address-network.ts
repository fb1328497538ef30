import ipaddr from "ipaddr.js";

/** IPv4 /24 or IPv6 /64, else "unknown". */
export function addressNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.kind() === "ipv4") return `${bytes.slice(0, 3).join(".")}.0/24`;
  const network = [...bytes.slice(0, 8), ...Array.from({ length: 8 }, () => 0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
