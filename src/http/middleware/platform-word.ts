import { nearest } from "@earshot/query";
import type { FastifyRequest } from "fastify";
import { problem } from "../problems/write-problem.ts";
import { parsePlatform, platformWords } from "../submission/source-types.ts";

export function hasUnknownPlatform(request: FastifyRequest): boolean {
  const word = getPlatformWord(request);
  return word !== null && parsePlatform(word) === null;
}

/** An unknown word is a 404, before authentication. */
export function requireKnownPlatform(request: FastifyRequest): void {
  const word = getPlatformWord(request);
  if (word === null || parsePlatform(word) !== null) return;
  const suggestion = nearest(word, platformWords);
  throw problem("not_found", `unknown platform ${JSON.stringify(word.slice(0, 60))}`, {
    hint: suggestion
      ? `did you mean ${suggestion}?`
      : `the platforms are ${platformWords.join(", ")}`,
  });
}

function getPlatformWord(request: FastifyRequest): string | null {
  const { params } = request;
  if (typeof params !== "object" || params === null || !("platform" in params)) return null;
  return String(params.platform);
}
