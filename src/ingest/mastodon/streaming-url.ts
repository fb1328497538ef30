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

const maxUrlLength = 2_048;

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
    const streamingUrl = response.status === 200 ? findStreamingUrl(response.json()) : null;
    if (streamingUrl !== null) return streamingBaseUrl(streamingUrl, new URL(server));
  }
  return streamingBaseUrl(new URL(server), new URL(server));
}

/** `configuration.urls.streaming`, or `urls.streaming_api` in API v1. */
function findStreamingUrl(description: unknown): URL | null {
  const { configuration, urls } = asFields(description);
  const urlText =
    asFields(asFields(configuration).urls).streaming ?? asFields(urls).streaming_api ?? null;
  if (typeof urlText !== "string" || urlText.length > maxUrlLength) return null;
  const url = URL.parse(urlText);
  return url !== null && schemes.has(url.protocol) ? url : null;
}

const schemes = new Set(["ws:", "wss:", "http:", "https:"]);

/**
 * A server with an https address is always streamed over wss, so that the token is never sent in
 * plain text. On its own host, a server with an http address keeps ws, even if it advertises wss,
 * and its port unless it advertises another.
 */
function streamingBaseUrl(streamingUrl: URL, server: URL): URL {
  const isSecure = server.protocol === "https:";
  const isSameHost = streamingUrl.hostname === server.hostname;
  const staysSecure =
    !isSameHost && (streamingUrl.protocol === "wss:" || streamingUrl.protocol === "https:");
  const scheme = isSecure || staysSecure ? "wss:" : "ws:";
  const port =
    !isSecure && isSameHost && streamingUrl.port === "" ? server.port : streamingUrl.port;
  const path = withoutEnding(streamingUrl.pathname, "/");
  return new URL(`${scheme}//${streamingUrl.hostname}${port === "" ? "" : `:${port}`}${path}`);
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
