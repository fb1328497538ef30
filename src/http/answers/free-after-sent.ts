import type { FastifyReply } from "fastify";

/** A hundred unused pages would make V8 collect the whole heap. The body must not be used afterwards. */
export function freeAfterSent({ raw }: FastifyReply, { buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength < buffer.byteLength) return;
  // The system has the bytes, or never takes them, once "close" is emitted.
  raw.once("close", () => buffer.transfer(0));
}
