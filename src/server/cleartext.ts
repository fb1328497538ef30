import type { Config } from "./config.ts";

/** Null unless others on the network can reach the server and it has no https base URL. */
export function cleartextWarning({ http }: Pick<Config, "http">): string | null {
  if (http.publicUrl !== null || isLoopback(http.host)) return null;
  return `listens on ${http.host} without EARSHOT_PUBLIC_URL: cookies of the dashboard are not kept to TLS; set it to the https address that people see`;
}

/** Without TLS signed messages are readable, and the gateway's first key is trusted unchecked. */
export function cleartextGatewayWarning({ gateway, gatewayKey }: Config["node"]): string | null {
  if (gateway === null) return null;
  const { protocol, hostname, origin } = new URL(gateway);
  if (protocol === "https:" || isLoopback(hostname.replace(/^\[|\]$/g, ""))) return null;
  const untold =
    gatewayKey === null
      ? ", and without EARSHOT_NODE_GATEWAY_KEY anyone on the network path can impersonate the gateway"
      : "";
  return `asks its gateway at ${origin} without TLS: who is on the way sees when it works and for whom${untold}; use an https:// address`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
