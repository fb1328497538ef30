import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { encode } from "@atcute/cbor";
import { type WebSocket, WebSocketServer } from "ws";

export type PublishedLabel = {
  src: string;
  uri: string;
  val: string;
  cts: string;
  neg?: boolean;
  exp?: string;
};

/** An emulator of `com.atproto.label.subscribeLabels`: replays after a cursor, then streams. */
export type LabelerServer = {
  url: string;
  cursors: (string | null)[];
  publish(...labels: readonly PublishedLabel[]): void;
  sendRaw(bytes: Uint8Array | string): void;
  /** Older cursors get `OutdatedCursor`. */
  forgetBefore(seq: number): void;
  /** Starts over, like a new labeler. */
  reset(): void;
  cut(): void;
  openConnections(): number;
  close(): Promise<void>;
};

export const encodeFrame = (header: object, body: object): Uint8Array =>
  Buffer.concat([encode(header), encode(body)]);

export async function startLabelerServer(): Promise<LabelerServer> {
  let frames: { seq: number; bytes: Uint8Array }[] = [];
  let seq = 0;
  let oldestSeq = 0;
  const clients = new Set<WebSocket>();
  const cursors: (string | null)[] = [];
  const path = "/xrpc/com.atproto.label.subscribeLabels";
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path });
  await once(server, "listening");
  server.on("connection", (socket, request) => {
    socket.on("error", () => clients.delete(socket));
    socket.on("close", () => clients.delete(socket));
    const cursor = new URL(request.url ?? "", "ws://localhost").searchParams.get("cursor");
    cursors.push(cursor);
    if (cursor !== null && Number(cursor) > seq) {
      socket.send(encodeFrame({ op: -1 }, { error: "FutureCursor", message: "not there yet" }));
      socket.close();
      return;
    }
    if (cursor !== null && Number(cursor) + 1 < oldestSeq) {
      socket.send(
        encodeFrame({ op: 1, t: "#info" }, { name: "OutdatedCursor", message: "too old" }),
      );
    }
    for (const frame of frames) {
      if (cursor !== null && frame.seq > Number(cursor)) socket.send(frame.bytes);
    }
    clients.add(socket);
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    cursors,
    publish: (...labels) => {
      seq += 1;
      const versionedLabels = labels.map((label) => ({ ver: 1, ...label }));
      const bytes = encodeFrame({ op: 1, t: "#labels" }, { seq, labels: versionedLabels });
      frames.push({ seq, bytes });
      for (const socket of clients) socket.send(bytes);
    },
    sendRaw: (bytes) => {
      for (const socket of clients) socket.send(bytes);
    },
    forgetBefore: (first) => {
      oldestSeq = first;
      frames = frames.filter((frame) => frame.seq >= first);
    },
    reset: () => {
      frames = [];
      seq = 0;
      oldestSeq = 0;
    },
    cut: () => {
      for (const socket of clients) socket.terminate();
      clients.clear();
    },
    openConnections: () => clients.size,
    close: async () => {
      for (const socket of clients) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
}
