import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import {
  type Jetstream,
  type JetstreamRequest,
  startJetstream,
} from "../../src/ingest/jetstream/jetstream.ts";
import {
  defaultJetstreamSettings,
  type JetstreamSettings,
} from "../../src/ingest/jetstream/settings.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";

export const did = "did:plc:dclwtltrt2ggsryagfzk7dp4";
export const startUs = 1_783_175_888_000_000;
export const secondUs = 1_000_000;
export const postUri = (rkey: string) => `at://${did}/app.bsky.feed.post/${rkey}`;

export type Event = { time_us: number };
export const commit = (
  timeUs: number,
  rkey: string,
  operation = "create",
  rev = `3mptbypcq${1000 + (timeUs % 9000)}`,
): Event =>
  ({
    did,
    time_us: timeUs,
    kind: "commit",
    commit: {
      rev,
      operation,
      collection: "app.bsky.feed.post",
      rkey,
      ...(operation === "delete"
        ? {}
        : { record: { text: `${operation} ${rkey}`, createdAt: "2026-07-04T14:38:06Z" } }),
    },
  }) as Event;

/** Replays from the cursor, as Jetstream does. */
export type FakeJetstream = {
  url: string;
  events: Event[];
  requests: IncomingMessage[];
  sockets: Set<WebSocket>;
  /** The default replays everything; `connection` counts from 0. */
  serve: (socket: WebSocket, replay: readonly Event[], connection: number) => void;
  send(...events: Event[]): void;
  close(): Promise<void>;
};

export const sendAll = (socket: WebSocket, events: readonly Event[]) => {
  for (const event of events) socket.send(JSON.stringify(event));
};

export async function startFakeJetstream(
  refuse: (request: IncomingMessage) => [number, string] | null = () => null,
): Promise<FakeJetstream> {
  const http: Server = createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({ noServer: true });
  const server: FakeJetstream = {
    url: "",
    events: [],
    requests: [],
    sockets: new Set(),
    serve: sendAll,
    send: (...events) => {
      server.events.push(...events);
      for (const socket of server.sockets) sendAll(socket, events);
    },
    close: async () => {
      for (const socket of server.sockets) socket.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  http.on("upgrade", (request, socket, head) => {
    const connection = server.requests.push(request) - 1;
    const refusal = refuse(request);
    if (refusal !== null) {
      const [status, body] = refusal;
      socket.end(
        `HTTP/1.1 ${status} No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      server.sockets.add(client);
      client.on("close", () => server.sockets.delete(client));
      const cursor = new URL(request.url ?? "", "ws://x").searchParams.get("cursor");
      const replay =
        cursor === null ? [] : server.events.filter(({ time_us }) => time_us >= Number(cursor));
      server.serve(client, replay, connection);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  server.url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/subscribe`;
  return server;
}

export const clock: Clock = { ...systemClock, now: () => startUs / 1000 + 60_000 };

export function startTestStream(
  request: Pick<JetstreamRequest, "archive"> & Partial<JetstreamRequest>,
  settings: Partial<JetstreamSettings>,
): Jetstream {
  return startJetstream({
    clock,
    random: () => 0.5,
    log: { info: () => {}, warn: () => {} },
    dictionary: async () => {
      throw new Error("no dictionary here");
    },
    refreshAccount: () => {},
    ...request,
    settings: {
      ...defaultJetstreamSettings,
      lookbackMs: 3_600_000,
      batchMs: 1,
      quietBatchMs: 1,
      minBackoffMs: 1,
      maxBackoffMs: 4,
      ...settings,
    },
  });
}

export const reaction = (
  atUs: number,
  rkey: string,
  subject: string,
  collection = "app.bsky.feed.like",
  operation = "create",
): Event =>
  ({
    did,
    time_us: atUs,
    kind: "commit",
    commit: {
      rev: `rev${rkey}`,
      operation,
      collection,
      rkey,
      ...(operation === "delete" ? {} : { record: { subject: { uri: subject, cid: "b" } } }),
    },
  }) as Event;
