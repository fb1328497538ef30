import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** One event as Jetstream sends it; `time_us` orders them. */
export type StreamEvent = { did: string; time_us: number; kind: string; [more: string]: unknown };

/**
 * An emulator of Jetstream's /subscribe, written from its published description: it keeps all events, replays them from a
 * cursor (inclusive), then goes on live. It can cut its connections.
 */
export type JetstreamServer = {
  url: string;
  publish(event: StreamEvent): void;
  /** Ends every connection without a word, as a lost network does. */
  cut(): void;
  /** Connections that are open now, and those that ever were. */
  open(): number;
  connections(): number;
  close(): Promise<void>;
};

export async function startJetstreamServer(): Promise<JetstreamServer> {
  const events: StreamEvent[] = [];
  const clients = new Set<WebSocket>();
  let connected = 0;
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/subscribe" });
  await once(server, "listening");
  server.on("connection", (socket, request) => {
    connected += 1;
    const cursor = new URL(request.url ?? "", "ws://localhost").searchParams.get("cursor");
    for (const event of events) {
      if (cursor !== null && event.time_us >= Number(cursor)) socket.send(JSON.stringify(event));
    }
    clients.add(socket);
    socket.on("close", () => clients.delete(socket));
    socket.on("error", () => clients.delete(socket));
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/subscribe`,
    publish: (event) => {
      events.push(event);
      for (const socket of clients) socket.send(JSON.stringify(event));
    },
    cut: () => {
      for (const socket of clients) socket.terminate();
      clients.clear();
    },
    open: () => clients.size,
    connections: () => connected,
    close: async () => {
      for (const socket of clients) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
}
