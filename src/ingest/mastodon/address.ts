import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { fieldsOf } from "../../platforms/fields.ts";
import { withoutEnding } from "../../query/characters.ts";
import type { MastodonStreamName } from "./settings.ts";

/** How events come: by a WebSocket, or as the body of an answer that does not end (server-sent events). */
export type MastodonTransport = "websocket" | "event-stream";

export type InstanceRequest = {
  server: string;
  fetch: GuardedFetch;
  signal: AbortSignal;
};

const longestAddress = 2_048;

/**
 * Where a server streams, as it tells itself: on many servers that is another host. A server that tells nothing streams at its
 * own address. Errors: those of the fetch; one that names the status where the server cannot answer.
 */
export async function streamingBase({ server, fetch, signal }: InstanceRequest): Promise<URL> {
  for (const version of ["v2", "v1"]) {
    const answer = await fetch(new URL(`/api/${version}/instance`, server), {
      headers: { accept: "application/json" },
      signal,
    });
    if (answer.status === 429 || answer.status >= 500) {
      throw new Error(`HTTP ${answer.status} from /api/${version}/instance`);
    }
    const told = answer.status === 200 ? toldAddress(answer.json()) : null;
    if (told !== null) return baseOf(told, new URL(server));
  }
  return baseOf(new URL(server), new URL(server));
}

/** `configuration.urls.streaming`; in the first version of the description `urls.streaming_api`. */
function toldAddress(description: unknown): URL | null {
  const { configuration, urls } = fieldsOf(description);
  const told =
    fieldsOf(fieldsOf(configuration).urls).streaming ?? fieldsOf(urls).streaming_api ?? null;
  if (typeof told !== "string" || told.length > longestAddress) return null;
  const url = URL.parse(told);
  return url !== null && schemes.has(url.protocol) ? url : null;
}

const schemes = new Set(["ws:", "wss:", "http:", "https:"]);

/**
 * A server that is reached by https streams by wss, whatever it tells, so that the token is never sent in the clear. One that is
 * reached by http may tell wss for its own host all the same: it is taken at its own scheme, and at its own port where it
 * tells none.
 */
function baseOf(told: URL, server: URL): URL {
  const isSecure = server.protocol === "https:";
  const isSameHost = told.hostname === server.hostname;
  const staysSecure = !isSameHost && (told.protocol === "wss:" || told.protocol === "https:");
  const scheme = isSecure || staysSecure ? "wss:" : "ws:";
  const port = !isSecure && isSameHost && told.port === "" ? server.port : told.port;
  const path = withoutEnding(told.pathname, "/");
  return new URL(`${scheme}//${told.hostname}${port === "" ? "" : `:${port}`}${path}`);
}

/** The address of one of the streams. */
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
