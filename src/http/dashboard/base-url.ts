import type { FastifyRequest } from "fastify";

/** No trailing slash. */
export function baseUrl(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}
