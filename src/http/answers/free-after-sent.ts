import type { FastifyReply } from "fastify";

/** A hundred unused pages would make V8 collect the whole heap. The body must not be used afterwards. */
export function freeAfterSent({ raw }: FastifyReply, { buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength < buffer.byteLength) return;
  // After "close", the system has the bytes or will never take them.
  raw.once("close", () => buffer.transfer(0));
}
