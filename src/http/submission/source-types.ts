import { nearest } from "@earshot/query";
import type { FastifyRequest } from "fastify";
import type { SourceType } from "../../platforms/methods.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import { byPlatform } from "../../posts/post.ts";
import { problem } from "../problems/write-problem.ts";

/** `social` means all platforms. */
const platformsByWord: Readonly<Record<string, SearchPlatform>> = {
  social: "social",
  ...byPlatform((platform) => platform),
  twitter: "x",
};

export const platformWords = Object.keys(platformsByWord);

export function parsePlatform(word: string): SearchPlatform | null {
  return Object.entries(platformsByWord).find(([name]) => name === word)?.[1] ?? null;
}

/** A type ending in `-scraper` is an alias of the type without it. */
const suffixes = {
  "": "social",
  "-credential": "social-credential",
  "-api": "social-api",
  "-scraper": "social",
  "-credential-scraper": "social-credential",
  "-api-scraper": "social-api",
} as const satisfies Record<string, SourceType>;

type NamedType = { platform: SearchPlatform; type: SourceType };

const namedTypes: ReadonlyMap<string, NamedType> = new Map(
  Object.entries(platformsByWord).flatMap(([word, platform]) =>
    Object.entries(suffixes).map(([suffix, type]) => [`${word}${suffix}`, { platform, type }]),
  ),
);

export const typeNames: readonly string[] = [...namedTypes.keys()];

export function parseSourceType(name: string): NamedType | null {
  return namedTypes.get(name) ?? null;
}

/** Null if path and body name different platforms. */
export function narrowedPlatform(
  pathPlatform: SearchPlatform,
  bodyPlatform: SearchPlatform,
): SearchPlatform | null {
  if (pathPlatform === "social") return bodyPlatform;
  if (bodyPlatform === "social" || bodyPlatform === pathPlatform) return pathPlatform;
  return null;
}

export function hasUnknownPlatform(request: FastifyRequest): boolean {
  const word = getPlatformWord(request);
  return word !== null && parsePlatform(word) === null;
}

/** An unknown platform gets a 404, even before authentication. */
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
