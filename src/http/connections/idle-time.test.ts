import { once } from "node:events";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { pauseIdleTimeout } from "./idle-time.ts";

test("the idle timeout of a connection is off while a request is pending, and restored afterwards", async () => {
  const idleMs = 5_000;
  const server = createServer().listen(0, "127.0.0.1");
  server.setTimeout(idleMs);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const responseEvent = once(get({ port, host: "127.0.0.1", agent: false }), "response");
  const [, response]: [unknown, ServerResponse] = (await once(server, "request")) as never;
  const { socket } = response;
  expect(socket?.timeout).toBe(idleMs);
  const resume = pauseIdleTimeout(response, idleMs);
  expect(socket?.timeout).toBe(0);
  resume();
  expect(socket?.timeout).toBe(idleMs);
  response.end();
  const [answer] = await responseEvent;
  answer.resume();
  server.close();
  server.closeAllConnections();
});
