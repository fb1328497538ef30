import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { zstdCompressSync } from "node:zlib";
import { type WebSocket, WebSocketServer } from "ws";

/** A Jetstream event, ordered by `time_us`. */
export type StreamEvent = { did: string; time_us: number; kind: string; [more: string]: unknown };

/** An emulator of /subscribe: replays from an inclusive cursor; filters collections, supports zstd dictionaries. */
export type JetstreamServer = {
  url: string;
  publish(event: StreamEvent): void;
  cut(): void;
  cutInFrame(): void;
  openConnections(): number;
  connections(): number;
  close(): Promise<void>;
};

export async function startJetstreamServer(
  dictionary: Buffer | null = null,
): Promise<JetstreamServer> {
  const events: StreamEvent[] = [];
  const clients = new Map<WebSocket, { tcpSocket: Socket; send(event: StreamEvent): void }>();
  let connectionCount = 0;
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/subscribe" });
  await once(server, "listening");
  server.on("connection", (socket, request) => {
    connectionCount += 1;
    const parameters = new URL(request.url ?? "", "ws://localhost").searchParams;
    const cursor = parameters.get("cursor");
    const collections = parameters.getAll("wantedCollections");
    const isCompressed = dictionary !== null && parameters.get("compress") === "true";
    const send = (event: StreamEvent): void => {
      if (!isIncluded(collections, event)) return;
      const text = JSON.stringify(event);
      socket.send(isCompressed ? zstdCompressSync(text, { dictionary }) : text);
    };
    for (const event of events) {
      if (cursor !== null && event.time_us >= Number(cursor)) send(event);
    }
    clients.set(socket, { tcpSocket: request.socket, send });
    socket.on("close", () => clients.delete(socket));
    socket.on("error", () => clients.delete(socket));
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/subscribe`,
    publish: (event) => {
      events.push(event);
      for (const { send } of clients.values()) send(event);
    },
    cut: () => {
      for (const socket of clients.keys()) socket.terminate();
      clients.clear();
    },
    cutInFrame: () => {
      // A text frame that announces 100 bytes and has two.
      for (const { tcpSocket } of clients.values())
        tcpSocket.end(Buffer.from([0x81, 100, 0x7b, 0x7d]));
      clients.clear();
    },
    openConnections: () => clients.size,
    connections: () => connectionCount,
    close: async () => {
      for (const socket of clients.keys()) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
}

function isIncluded(collections: readonly string[], { kind, commit }: StreamEvent): boolean {
  if (kind !== "commit" || collections.length === 0) return true;
  const { collection } = commit as { collection: string };
  return collections.includes(collection);
}
