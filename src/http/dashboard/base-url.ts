import type { FastifyRequest } from "fastify";

/** The address that the server is known by, without a slash at its end: the one that is configured, else that of the request. */
export function baseUrl(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}
