import type { FastifyReply, FastifyRequest } from "fastify";
import type { ServedFile } from "./built-files.ts";

/** Status 304 if the client has the file. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, etag, encoding }: ServedFile,
): FastifyReply {
  reply.headers({ etag, ...(encoding !== null && { "content-encoding": encoding }) });
  if (!reply.hasHeader("vary")) reply.header("vary", "Accept-Encoding");
  if (isCached(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.type(type).send(body);
}

/** Weak comparison (RFC 9110). */
function isCached(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  if (field.trim() === "*") return true;
  return field.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
