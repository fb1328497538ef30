import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../testkit/service/free-port.ts";
import { connect } from "../testkit/service/http-client.ts";
import { residentMb, startServer } from "../testkit/service/server-process.ts";
import { command } from "./measure.ts";

/**
 * The memory of a thousand requests that wait for their jobs, in a server whose node runs no jobs.
 */
const requests = 1_000;
const dataDir = mkdtempSync(join(tmpdir(), "earshot-bench-pending-"));
const server = await startServer(dataDir, await freePort(), {
  EARSHOT_NODE_CONCURRENCY: "0",
  EARSHOT_MAX_WAITING_REQUESTS: "10000",
});
const client = connect(server.base, server.key);
const uuids: string[] = [];
for (let n = 0; n < requests; n++) uuids.push(await client.submit("comet", 20));
client.close();

const { hostname, port } = new URL(server.base);
const open = (path: string): Socket => {
  const socket = connectSocket({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined).resume();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\n\r\n`);
  return socket;
};
const sleepSeconds = (count: number) =>
  new Promise((resolve) => setTimeout(resolve, count * 1_000));
const readPendingCount = async (): Promise<number> => {
  const text = await (await fetch(`${server.base}/metrics`)).text();
  return Number(/^earshot_waiting_requests (\d+)/m.exec(text)?.[1]);
};

async function measureCost(path: (uuid: string) => string): Promise<string> {
  const beforeMb = residentMb(server.pid);
  const sockets: Socket[] = [];
  for (const [n, uuid] of uuids.entries()) {
    sockets.push(open(path(uuid)));
    if (n % 20 === 0) await sleepSeconds(0.005);
  }
  await sleepSeconds(4);
  const mb = residentMb(server.pid) - beforeMb;
  const pending = await readPendingCount();
  for (const socket of sockets) socket.destroy();
  await sleepSeconds(1);
  return `${pending} pending: ${mb.toFixed(1)} MB`;
}

console.log(`${command()}: ${requests} requests, resident memory\n`);
console.log(`connections that are idle after a response: ${await measureCost(() => "/livez")}`);
console.log(
  `result?wait=30: ${await measureCost((uuid) => `/v1/search/live/social/result/${uuid}?wait=30`)}`,
);
console.log(
  `repeated: ${await measureCost((uuid) => `/v1/search/live/social/result/${uuid}?wait=30`)}`,
);
await server.stop();
rmSync(dataDir, { recursive: true });
