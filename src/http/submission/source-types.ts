import type { SourceType } from "../../platforms/methods.ts";
import type { SearchPlatform } from "../../platforms/source.ts";

/** The words that stand for a platform in paths and types. `social` stands for all of them. */
const words = {
  social: "social",
  bluesky: "bluesky",
  mastodon: "mastodon",
  x: "x",
  twitter: "x",
} as const satisfies Record<string, SearchPlatform>;

export const platformWords = Object.keys(words);

/** The platform of a word; null for a word that stands for none. */
export function platformOfWord(word: string): SearchPlatform | null {
  return Object.entries(words).find(([name]) => name === word)?.[1] ?? null;
}

/** What follows the platform's word in a type. The variants that end in `-scraper` equal their plain forms. */
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
  Object.entries(words).flatMap(([word, platform]) =>
    Object.entries(suffixes).map(([suffix, type]) => [`${word}${suffix}`, { platform, type }]),
  ),
);

/** All values that a submission's `type` may have, those of the specification first. */
export const typeNames: readonly string[] = [...namedTypes.keys()];

/** Platform and plain type that a value of `type` stands for; null for an unknown one. */
export function readType(name: string): NamedType | null {
  return namedTypes.get(name) ?? null;
}

/** The platform that path and type agree on: one may be wider than the other; null when they name two different ones. */
export function narrow(path: SearchPlatform, body: SearchPlatform): SearchPlatform | null {
  if (path === "social") return body;
  if (body === "social" || body === path) return path;
  return null;
}
