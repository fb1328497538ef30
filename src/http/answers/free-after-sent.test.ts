import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyReply } from "fastify";
import { afterAll, expect, test } from "vitest";
import { freeAfterSending } from "../routes/v1/result.ts";

const bodies: Uint8Array[] = [];
/** More than a connection's buffers can hold at once. */
const bodyBytes = 8_000_000;

const server = createServer((_request, raw) => {
  const body = new Uint8Array(bodyBytes).fill(97);
  bodies.push(body);
  freeAfterSending({ raw } as FastifyReply, body);
  raw.end(body);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
afterAll(() => server.close());

async function fetchAnswer() {
  const clientRequest = request({ port, host: "127.0.0.1" }).end();
  const [answer] = await once(clientRequest, "response");
  return answer;
}

test("a body arrives intact even if the client reads it late, and is freed afterwards", async () => {
  const answer = await fetchAnswer();
  const body = bodies.at(-1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(body?.byteLength).toBe(bodyBytes);
  let bytesReceived = 0;
  for await (const chunk of answer) {
    expect(chunk.every((byte: number) => byte === 97)).toBe(true);
    bytesReceived += chunk.length;
  }
  expect(bytesReceived).toBe(bodyBytes);
  await expect.poll(() => body?.byteLength).toBe(0);
});

test("a body is freed when its client has disconnected", async () => {
  const answer = await fetchAnswer();
  answer.destroy();
  await expect.poll(() => bodies.at(-1)?.byteLength).toBe(0);
});

test("a body that is part of a larger buffer is not freed", () => {
  const largeBuffer = new Uint8Array(10);
  const listeners: (() => void)[] = [];
  const raw = { once: (_name: string, listener: () => void) => listeners.push(listener) };
  freeAfterSending({ raw } as unknown as FastifyReply, largeBuffer.subarray(1));
  expect(listeners).toEqual([]);
});
