import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { systemClock } from "../../lib/clock.ts";
import { createGuard } from "../../lib/guard.ts";
import { openStreamConnection, type StreamConnection } from "./connection.ts";
import type { Frame } from "./frames.ts";

let server: WebSocketServer;
let url: URL;
let connection: StreamConnection | null = null;

const open = (
  onFrame: (frame: Frame) => void,
  onOpen = () => {},
  clock = systemClock,
): StreamConnection => {
  connection = openStreamConnection({
    url,
    guard: createGuard([url.href]),
    clock,
    userAgent: "earshot/test",
    handshakeTimeoutMs: 5_000,
    idleTimeoutMs: 30_000,
    maxFrameBytes: 10_000,
    onOpen,
    onFrame,
  });
  return connection;
};
const serve = (run: (socket: WebSocket) => void) => server.on("connection", run);

beforeEach(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  url = new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterEach(() => {
  connection?.close();
  connection = null;
  for (const socket of server.clients) socket.terminate();
  server.close();
});

test("a stream connection distinguishes text and binary frames", async () => {
  serve((socket) => {
    socket.send("text");
    socket.send(Buffer.from([1, 2]));
  });
  const frames: Frame[] = [];
  open((frame) => frames.push(frame));
  await vi.waitFor(() => expect(frames).toHaveLength(2));
  expect(frames).toEqual([
    { data: Buffer.from("text"), isBinary: false },
    { data: Buffer.from([1, 2]), isBinary: true },
  ]);
});

describe("a flood of frames", () => {
  const frameBytes = 1_000;
  const frames = 20_000;
  /** A hundred frames, the rest of the last 64 KiB read, and as many bytes already buffered. */
  const maxFramesPerTurn = 100 + 2 * Math.ceil(65_536 / frameBytes);
  const flood = (socket: WebSocket) => {
    for (let n = 0; n < frames; n += 1) socket.send("x".repeat(frameBytes));
  };

  test("a connection flooded with frames yields to the event loop after a bounded number of them", async () => {
    serve(flood);
    let received = 0;
    let framesInTurn = 0;
    let max = 0;
    open(() => {
      received += 1;
      if (framesInTurn === 0) {
        setImmediate(() => {
          max = Math.max(max, framesInTurn);
          framesInTurn = 0;
        });
      }
      framesInTurn += 1;
    });
    await vi.waitFor(() => expect(received).toBe(frames), { timeout: 10_000 });
    expect(max).toBeLessThanOrEqual(maxFramesPerTurn);
  }, 15_000);

  test("a connection flooded with slow frames yields to the event loop after some milliseconds", async () => {
    let elapsedMs = 0;
    const clock = { ...systemClock, elapsed: () => elapsedMs };
    serve((socket) => {
      for (let n = 0; n < 400; n += 1) socket.send("x".repeat(9_000));
    });
    let received = 0;
    let framesInTurn = 0;
    let max = 0;
    open(
      () => {
        received += 1;
        elapsedMs += 20;
        if (framesInTurn === 0) {
          setImmediate(() => {
            max = Math.max(max, framesInTurn);
            framesInTurn = 0;
          });
        }
        framesInTurn += 1;
      },
      () => {},
      clock,
    );
    await vi.waitFor(() => expect(received).toBe(400), { timeout: 10_000 });
    expect(max).toBeLessThan(20);
  }, 15_000);

  test("a flood of frames stops at a pause and resumes without loss", async () => {
    serve(flood);
    let received = 0;
    const opened = open(() => {
      received += 1;
      if (received === 500) opened.pause();
    });
    await vi.waitFor(() => expect(received).toBeGreaterThanOrEqual(500), { timeout: 10_000 });
    for (let turns = 0; turns < 50; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(received).toBeLessThanOrEqual(500 + maxFramesPerTurn);
    opened.resume();
    await vi.waitFor(() => expect(received).toBe(frames), { timeout: 10_000 });
  }, 15_000);
});

test("an oversized frame ends the connection, and is reported", async () => {
  serve((socket) => socket.send("x".repeat(10_001)));
  const { closed } = open(() => {});
  expect(await closed).toMatchObject({ frameTooLarge: true });
});

test("a stream connection does not call a private address", async () => {
  let connections = 0;
  serve(() => {
    connections += 1;
  });
  connection = openStreamConnection({
    url,
    guard: createGuard([]),
    clock: systemClock,
    userAgent: "earshot/test",
    handshakeTimeoutMs: 5_000,
    idleTimeoutMs: 30_000,
    maxFrameBytes: 10_000,
    onOpen: () => {},
    onFrame: () => {},
  });
  expect(await connection.closed).toMatchObject({
    reason: "127.0.0.1 is not a public address",
    frameTooLarge: false,
  });
  expect(connections).toBe(0);
});
