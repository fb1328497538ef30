import type { FastifyInstance } from "fastify";

/** Larger than all parameters of a token request. */
const mostBytes = 16_384;

export const formRoute = { bodyLimit: mostBytes };

/** Makes the routes of this scope read form bodies as text. */
export function readFormBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    async (_request: unknown, body: string) => body,
  );
}

export type TokenParameters = {
  /** Null if missing or empty, which is the same (RFC 6749, section 3.2). */
  get(name: string): string | null;
};

/** Null unless it is a form in which no name repeats. */
export function readParameters(body: unknown): TokenParameters | null {
  if (typeof body !== "string") return null;
  const parameters = new URLSearchParams(body);
  const names = [...parameters.keys()];
  if (new Set(names).size !== names.length) return null;
  return { get: (name) => parameters.get(name) || null };
}
