import type { FastifyReply } from "fastify";

/**
 * Frees the memory of a body once it is sent or its connection has ended. V8 would collect the whole heap for a hundred unused
 * pages. The body must not be used elsewhere.
 */
export function freeAfterSent({ raw }: FastifyReply, { buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength < buffer.byteLength) return;
  // After "close", the system has the bytes or never takes them.
  raw.once("close", () => buffer.transfer(0));
}
