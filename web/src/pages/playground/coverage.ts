import { type Platform, platforms } from "@earshot/query/tree";
import { coverageText, liveShare, type Source, windowText } from "../../coverage-text.ts";
import { listText, platformNames } from "../../platforms.ts";
import type { Coverage } from "./answer.ts";

export type CoverageLine = {
  platform: Platform;
  state: "complete" | "incomplete" | "live";
  text: string;
  /** Incomplete counts and labels. */
  shortfalls: readonly string[];
};

const shortfallTexts = {
  likes: "Like counts may be too low",
  reposts: "Repost counts may be too low",
  labels: "Labels may be missing",
} as const;

/** One line per platform that the answer covers or that was searched live. */
export function coverageLines(
  coverage: Coverage,
  sources: readonly Source[],
  nowMs: number,
): CoverageLine[] {
  return platforms.flatMap((platform): CoverageLine[] => {
    const collections = coverage.platforms.filter((other) => other.platform === platform);
    const platformSources = sources.filter((source) => source.platform === platform);
    const isLive = liveShare(platformSources) !== "none";
    if (collections.length === 0 && !isLive) return [];
    const posts = collections.find(({ collection }) => collection === "posts") ?? unknownCoverage;
    const state = posts.complete ? "complete" : isLive ? "live" : "incomplete";
    const shortfalls = collections.flatMap(({ collection, complete }) =>
      collection === "posts" || complete ? [] : [shortfallTexts[collection]],
    );
    return [
      { platform, state, shortfalls, text: coverageText(posts, platformSources, coverage, nowMs) },
    ];
  });
}

const unknownCoverage = { complete: false, held: [], gaps: [] };

/** Archive counts omit their posts. */
export function livePlatforms(sources: readonly Source[]): readonly Platform[] {
  return platforms.filter(
    (platform) => liveShare(sources.filter((source) => source.platform === platform)) !== "none",
  );
}

/** Why an empty answer means no match. */
export function completeSentence(coverage: Coverage, nowMs: number): string {
  const names = coverage.platforms
    .filter(({ collection }) => collection === "posts")
    .map(({ platform }) => platformNames[platform]);
  const range = windowText(coverage, nowMs);
  if (names.length === 0) return `Coverage is complete ${range}: no post matches.`;
  return `${listText(names)} ${names.length === 1 ? "is" : "are"} complete ${range}: no post matches.`;
}

/** Why an empty answer is inconclusive. */
export function incompleteSentence(
  coverage: Coverage,
  sources: readonly Source[],
  nowMs: number,
): string {
  const lines = coverageLines(coverage, sources, nowMs);
  if (lines.length === 0)
    return "This archive has no sources yet, so an empty answer does not mean that no post matches.";
  const texts = lines
    .filter(({ state }) => state !== "complete")
    .map(
      ({ platform, text }) =>
        `${platformNames[platform]}: ${text.charAt(0).toLowerCase()}${text.slice(1)}.`,
    );
  return `${texts.join(" ")} Missing posts are not in this answer.`;
}
