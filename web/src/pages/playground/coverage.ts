import { type Platform, platforms } from "@earshot/query/tree";
import { lengthOf, shortTime } from "../../components/time.tsx";
import { noneWholeText } from "../../coverage-text.ts";
import { listed, platformNames } from "../../platforms.ts";
import type { CollectionCoverage, Coverage, PostRecord, TimeSpan } from "./answer.ts";

export type CoverageLine = {
  platform: Platform;
  state: "complete" | "gaps" | "nothing" | "live";
  text: string;
  /** Incomplete counts and labels. */
  remarks: readonly string[];
};

const presentMs = 2 * 60_000;

const shortfalls = {
  likes: "Like counts may be too low",
  reposts: "Repost counts may be too low",
  labels: "Labels may be missing",
} as const;

/** One line per possible source. `nowMs` decides whether the window ends now. */
export function coverageLines(
  coverage: Coverage,
  results: readonly PostRecord[],
  nowMs: number,
): CoverageLine[] {
  const reported = new Set(coverage.platforms.map(({ platform }) => platform));
  const requested = new Set(
    results.flatMap(({ Metadata }) =>
      Metadata?.platform !== undefined && Metadata.origin === "upstream" ? [Metadata.platform] : [],
    ),
  );
  return platforms.flatMap((platform): CoverageLine[] => {
    const own = coverage.platforms.filter((one) => one.platform === platform);
    const posts = own.find(({ collection }) => collection === "posts");
    const remarks = own.flatMap(({ collection, complete }) =>
      collection === "posts" || complete ? [] : [shortfalls[collection]],
    );
    if (posts !== undefined) {
      return [
        { platform, remarks, ...stateOf(posts, coverage, storedPosts(results, platform), nowMs) },
      ];
    }
    if (reported.has(platform) || !requested.has(platform)) return [];
    return [{ platform, remarks, state: "live", text: "Searched live, completeness unknown" }];
  });
}

function stateOf(
  { complete, held, gaps }: CollectionCoverage,
  coverage: Coverage,
  postsFound: number,
  nowMs: number,
): Pick<CoverageLine, "state" | "text"> {
  const until = endOf(coverage.to, nowMs);
  if (complete) {
    const text =
      coverage.from === null
        ? `Complete to ${until}`
        : `Complete, ${shortTime(coverage.from)} to ${until}`;
    return { state: "complete", text };
  }
  if (held.length === 0) return { state: "nothing", text: noneWholeText(postsFound) };
  const [first] = held;
  const inner = gaps.filter(
    ({ to }) => first?.from == null || Date.parse(to) > Date.parse(first.from),
  );
  const lead =
    gaps.length > inner.length && first?.from != null
      ? `Archived since ${shortTime(first.from)}`
      : null;
  const texts = [lead, inner.length === 0 ? null : missing(inner)].filter((text) => text !== null);
  return { state: "gaps", text: texts.join("; ") };
}

/** Posts from the archive; live results say nothing about it. */
function storedPosts(results: readonly PostRecord[], platform: Platform): number {
  return results.filter(
    ({ Metadata }) => Metadata?.platform === platform && Metadata.origin !== "upstream",
  ).length;
}

function missing(gaps: readonly TimeSpan[]): string {
  const [first] = gaps;
  const ms = gaps.reduce(
    (sum, { from, to }) => sum + (from === null ? 0 : Date.parse(to) - Date.parse(from)),
    0,
  );
  if (first === undefined || first.from === null) return "Part of it is missing";
  if (gaps.length === 1) return `${lengthOf(ms)} missing, ${shortTime(first.from)}`;
  return `${gaps.length} gaps, ${lengthOf(ms)} in total`;
}

export function endOf(to: string, nowMs: number): string {
  return nowMs - Date.parse(to) < presentMs ? "now" : shortTime(to);
}

/** Why an empty answer means no match. */
export function completeSentence(coverage: Coverage, nowMs: number): string {
  const names = coverage.platforms
    .filter(({ collection }) => collection === "posts")
    .map(({ platform }) => platformNames[platform]);
  const range =
    coverage.from === null
      ? `to ${endOf(coverage.to, nowMs)}`
      : `from ${shortTime(coverage.from)} to ${endOf(coverage.to, nowMs)}`;
  if (names.length === 0) return `Coverage is complete ${range}: no post matches.`;
  return `${listed(names)} ${names.length === 1 ? "is" : "are"} complete ${range}: no post matches.`;
}

/** Why an empty answer is inconclusive. */
export function incompleteSentence(coverage: Coverage, nowMs: number): string {
  const lines = coverageLines(coverage, [], nowMs);
  if (lines.length === 0)
    return "This archive has no sources yet, so an empty answer does not mean that no post matches.";
  const texts = lines
    .filter(({ state }) => state !== "complete")
    .map(
      ({ platform, text }) =>
        `${platformNames[platform]}: ${text.charAt(0).toLowerCase()}${text.slice(1)}.`,
    );
  return `${texts.join(" ")} Posts from the gaps are not in this answer.`;
}
