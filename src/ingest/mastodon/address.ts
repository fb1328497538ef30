import { withoutEnding } from "@earshot/query/tree";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { asFields } from "../../platforms/fields.ts";
import type { MastodonStreamName } from "./settings.ts";

export type MastodonTransport = "websocket" | "event-stream";

export type InstanceRequest = {
  server: string;
  fetch: GuardedFetch;
  signal: AbortSignal;
};

const longestAddress = 2_048;

/** The streaming URL, often on another host; by default the server's own. */
export async function streamingBase({ server, fetch, signal }: InstanceRequest): Promise<URL> {
  for (const version of ["v2", "v1"]) {
    const response = await fetch(new URL(`/api/${version}/instance`, server), {
      headers: { accept: "application/json" },
      signal,
    });
    if (response.status === 429 || response.status >= 500) {
      throw new Error(`HTTP ${response.status} from /api/${version}/instance`);
    }
    const streamingUrl = response.status === 200 ? reportedAddress(response.json()) : null;
    if (streamingUrl !== null) return baseOf(streamingUrl, new URL(server));
  }
  return baseOf(new URL(server), new URL(server));
}

/** `configuration.urls.streaming`, or `urls.streaming_api` in API v1. */
function reportedAddress(description: unknown): URL | null {
  const { configuration, urls } = asFields(description);
  const reported =
    asFields(asFields(configuration).urls).streaming ?? asFields(urls).streaming_api ?? null;
  if (typeof reported !== "string" || reported.length > longestAddress) return null;
  const url = URL.parse(reported);
  return url !== null && schemes.has(url.protocol) ? url : null;
}

const schemes = new Set(["ws:", "wss:", "http:", "https:"]);

/**
 * A server with an https address is always streamed over wss, so that the token is never sent in
 * plain text. On its own host, a server with an http address keeps ws, even if it advertises wss,
 * and its port unless it advertises another.
 */
function baseOf(reported: URL, server: URL): URL {
  const isSecure = server.protocol === "https:";
  const isSameHost = reported.hostname === server.hostname;
  const staysSecure =
    !isSameHost && (reported.protocol === "wss:" || reported.protocol === "https:");
  const scheme = isSecure || staysSecure ? "wss:" : "ws:";
  const port = !isSecure && isSameHost && reported.port === "" ? server.port : reported.port;
  const path = withoutEnding(reported.pathname, "/");
  return new URL(`${scheme}//${reported.hostname}${port === "" ? "" : `:${port}`}${path}`);
}

export function streamUrl(
  base: URL,
  stream: MastodonStreamName,
  transport: MastodonTransport,
): URL {
  const url = new URL(base);
  const path = `${withoutEnding(base.pathname, "/")}/api/v1/streaming`;
  if (transport === "websocket") {
    url.pathname = path;
    url.searchParams.set("stream", stream);
    return url;
  }
  url.protocol = base.protocol === "wss:" ? "https:" : "http:";
  url.pathname = `${path}/${stream.replace(":", "/")}`;
  return url;
}
