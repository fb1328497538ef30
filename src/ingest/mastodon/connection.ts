import type { Clock } from "../../lib/clock.ts";
import type { GuardedClient } from "../../lib/guarded-fetch.ts";
import {
  type ConnectionEnd,
  openStreamConnection,
  type StreamConnection,
} from "../streams/connection.ts";
import { openEventStream } from "../streams/event-stream.ts";
import type { Frame } from "../streams/frames.ts";
import type { OpenConnection, StreamLink } from "../streams/link.ts";
import type { MastodonStreamSettings } from "./settings.ts";
import { type MastodonTransport, streamingBase, streamUrl } from "./streaming-url.ts";

export type MastodonConnections = {
  /** Resolves with the reason when the connection ends. Errors: those of the fetch. */
  connect(onFrame: (frame: Frame) => void): Promise<string>;
  recordOpen(): void;
  recordMessage(): void;
  endRefused(status: number | null): void;
  hasLasted(): boolean;
  transport(): MastodonTransport | null;
};

export type MastodonConnectionsOptions = {
  link: Pick<StreamLink, "signal" | "listen" | "status">;
  clock: Clock;
  settings: MastodonStreamSettings;
  findToken: (origin: string) => Promise<string | null>;
  fetch: GuardedClient;
  client: GuardedClient;
};

/** HTTP statuses that concern the token, rate limits or timeouts. */
const transportNeutralStatuses: ReadonlySet<number> = new Set([401, 403, 408, 429]);

export function createMastodonConnections(
  options: MastodonConnectionsOptions,
): MastodonConnections {
  const { link, clock, settings, fetch, client } = options;
  const { host, origin } = new URL(settings.server);
  let transport: MastodonTransport = "websocket";
  let openTransport: MastodonTransport | null = null;
  let connection: StreamConnection | null = null;
  let endReason: string | null = null;
  let openedAtMs: number | null = null;
  let lastMessageMs = 0;

  async function connect(onFrame: (frame: Frame) => void): Promise<string> {
    openedAtMs = null;
    const token = await options.findToken(origin);
    if (token === null) {
      return `no usable user token for ${host}: add one with earshot credentials add mastodon user-token`;
    }
    const base = await streamingBase({ server: origin, fetch, signal: link.signal });
    if (link.signal.aborted) return "stopped";
    const url = streamUrl(base, settings.stream, transport);
    endReason = null;
    const watchAbort = new AbortController();
    watchSilence(watchAbort.signal).catch(() => {});
    try {
      const connectionEnd = await link.listen(url, host, onFrame, openerWith(token));
      chooseTransport(connectionEnd);
      return endReason ?? formatReason(connectionEnd);
    } finally {
      watchAbort.abort();
    }
  }

  const openerWith =
    (token: string): OpenConnection =>
    (request) => {
      const headers = { authorization: `Bearer ${token}` };
      connection =
        transport === "websocket"
          ? openStreamConnection({ ...request, headers, redactText: () => "" })
          : openEventStream({ ...request, headers, client });
      return connection;
    };

  /** Switches transports, because the server may have no WebSocket endpoint. */
  function chooseTransport({ status }: ConnectionEnd): void {
    if (status === null || status >= 500 || transportNeutralStatuses.has(status)) return;
    transport = transport === "websocket" ? "event-stream" : "websocket";
  }

  function formatReason({ reason, status }: Pick<ConnectionEnd, "reason" | "status">): string {
    if (status !== 401 && status !== 403) return reason;
    return `HTTP ${status}: ${host} refused the user token: see earshot credentials test`;
  }

  function end(reason: string): void {
    endReason = reason;
    connection?.close();
  }

  async function watchSilence(signal: AbortSignal): Promise<void> {
    lastMessageMs = clock.elapsed();
    for (;;) {
      await clock.sleep(Math.max(1, lastMessageMs + settings.silenceMs - clock.elapsed()), signal);
      // Silence while reading is paused means nothing.
      if (link.status().status === "paused") lastMessageMs = clock.elapsed();
      if (clock.elapsed() - lastMessageMs < settings.silenceMs) continue;
      end(`no event for ${Math.round(settings.silenceMs / 1000)} s`);
      return;
    }
  }

  return {
    connect,
    recordOpen: () => {
      openTransport = transport;
      openedAtMs = clock.elapsed();
      lastMessageMs = openedAtMs;
    },
    recordMessage: () => {
      lastMessageMs = clock.elapsed();
    },
    endRefused: (status) => end(formatReason({ reason: "refused by the server", status })),
    hasLasted: () => openedAtMs !== null && clock.elapsed() - openedAtMs >= settings.maxBackoffMs,
    transport: () => openTransport,
  };
}
