import type { FastifyInstance } from "fastify";

/** Larger than all parameters of a token request. */
const maxBytes = 16_384;

export const formRoute = { bodyLimit: maxBytes };

/** Affects only this scope. */
export function readFormBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    async (_request: unknown, body: string) => body,
  );
}

export type TokenParameters = {
  /** Null if missing or empty (RFC 6749, section 3.2). */
  get(name: string): string | null;
};

export function readParameters(body: unknown): TokenParameters | null {
  if (typeof body !== "string") return null;
  const parameters = new URLSearchParams(body);
  const names = [...parameters.keys()];
  if (new Set(names).size !== names.length) return null;
  return { get: (name) => parameters.get(name) || null };
}
