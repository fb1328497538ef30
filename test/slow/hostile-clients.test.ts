import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectTo } from "../../testkit/service/connect-to.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { connect } from "../../testkit/service/http-client.ts";
import {
  residentMb,
  type ServerProcess,
  startServer,
} from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-hostile-"));
const path = "/v1/search/live/social";

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer(folder, await freePort(), {
    EARSHOT_REQUEST_TIMEOUT: "3s",
    EARSHOT_IDLE_TIMEOUT: "4s",
  });
  // Warm-up.
  for (let round = 0; round < 200; round++) await goodClientMs();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Response time of a normal client. */
async function goodClientMs(): Promise<number> {
  const client = connect(server.base, server.key);
  const start = performance.now();
  try {
    expect(await client.result(await client.submit("comet", 20))).toBe("[]");
    return performance.now() - start;
  } finally {
    client.close();
  }
}

const head = (line: string, ...fields: readonly string[]): string =>
  [line, "Host: a", `Authorization: Bearer ${server.key}`, ...fields, "", ""].join("\r\n");

const openByServer = (): number => readdirSync(`/proc/${server.pid}/fd`).length;

async function openMany(clients: number, begin: (socket: Socket) => void): Promise<Socket[]> {
  return await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = await connectTo(server.base);
      socket.on("error", () => undefined);
      begin(socket);
      return socket;
    }),
  );
}

const kinds: readonly [number, string, (socket: Socket) => void, string | null][] = [
  [1_000, "send nothing", (socket) => socket.resume(), null],
  [
    1_000,
    "send a header byte by byte",
    (socket) => socket.resume().write("GET /livez HTTP/1.1\r\nX: "),
    "a",
  ],
  [
    1_000,
    "send a body byte by byte",
    (socket) =>
      socket
        .resume()
        .write(
          head(`POST ${path} HTTP/1.1`, "Content-Type: application/json", "Content-Length: 60000"),
        ),
    " ",
  ],
  [
    100,
    "never read the response",
    (socket) => socket.pause().write(head("GET /openapi.json HTTP/1.1").repeat(30)),
    null,
  ],
];

test.each(kinds)(
  "%i clients that %s use few resources and are soon disconnected",
  async (clients, name, begin, dribble) => {
    const before = openByServer() + 5;
    const beforeMb = residentMb(server.pid);
    const start = performance.now();
    const sockets = await openMany(clients, begin);
    const dribbling = setInterval(() => {
      if (dribble === null) return;
      for (const socket of sockets) if (socket.writable) socket.write(dribble);
    }, 500);
    let duringMs = 0;
    let duringMb = 0;
    await until("the end of all connections", async () => {
      duringMs = Math.max(duringMs, await goodClientMs());
      duringMb = Math.max(duringMb, residentMb(server.pid) - beforeMb);
      return openByServer() <= before ? true : null;
    });
    clearInterval(dribbling);
    const removedMs = performance.now() - start;
    console.log(
      `${clients} clients that ${name}: ${Math.round(duringMb)} MB more, another client waits ` +
        `${Math.round(duringMs)} ms, disconnected after ${(removedMs / 1000).toFixed(1)} s`,
    );
    expect(duringMb).toBeLessThan(150);
    expect(duringMs).toBeLessThan(10_000);
    expect(removedMs).toBeLessThan(30_000);
    for (const socket of sockets) socket.destroy();
    await goodClientMs();
  },
);
