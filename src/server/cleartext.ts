import type { Config } from "./config.ts";

/** Null if only this machine can reach the server, or if EARSHOT_PUBLIC_URL is an https URL. */
export function cleartextWarning({ http }: Pick<Config, "http">): string | null {
  if (http.publicUrl?.startsWith("https:") || isLoopback(http.host)) return null;
  return `warning: listening on ${http.host} without an https EARSHOT_PUBLIC_URL, so dashboard cookies are not restricted to TLS: set it to the public https URL`;
}

/**
 * Without TLS, signed messages are readable, and the gateway's key, unless configured, is trusted
 * without verification.
 */
export function cleartextGatewayWarning({ gateway, gatewayKey }: Config["node"]): string | null {
  if (gateway === null) return null;
  const { protocol, hostname, origin } = new URL(gateway);
  if (protocol === "https:" || isLoopback(hostname.replace(/^\[|\]$/g, ""))) return null;
  const keyRisk =
    gatewayKey === null
      ? ", and without EARSHOT_NODE_GATEWAY_KEY anyone on the network path can impersonate the gateway"
      : "";
  return `warning: the node connects to the gateway at ${origin} without TLS, so anyone on the network path sees when the node works and for whom${keyRisk}: use an https:// URL`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
