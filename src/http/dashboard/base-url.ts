import type { FastifyRequest } from "fastify";

/** Without a trailing slash. */
export function baseUrl(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}
