import type { Config } from "./config.ts";

/**
 * What an operator is told of a server that others on the network reach, and that knows of no https address: cookies then travel
 * as they are. Null where there is nothing to tell.
 */
export function cleartextWarning({ http }: Pick<Config, "http">): string | null {
  if (http.publicUrl !== null || isLoopback(http.host)) return null;
  return `listens on ${http.host} without EARSHOT_PUBLIC_URL: cookies of the dashboard are not kept to TLS; set it to the https address that people see`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
