import { parseQuery } from "@earshot/query";
import type { Archive } from "../../src/archive/archive.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { SearchPlatform } from "../../src/platforms/source.ts";
import type { Platform } from "../../src/posts/post.ts";
import { countArchive } from "../../src/search/archive/count.ts";
import { type ArchiveSource, searchArchive } from "../../src/search/archive/search.ts";
import { coveredFromMs, coveredToMs, postTime } from "./archive-under-test.ts";

export type Answer = { values: ReadonlyMap<string, string>; complete: boolean };

export type TrialQuery = {
  name: string;
  platforms: readonly Platform[];
  fromMs: number;
  toMs: number;
  answer(archive: Archive): Promise<Answer>;
};

const allPlatforms: readonly Platform[] = ["bluesky", "mastodon", "x"];
const postsPerPage = 150;
/** More pages than this count as endless paging. */
const maxPages = 60;
const deadlineMs = 20_000;

const makeSource = (archive: Archive): ArchiveSource => ({
  archive,
  clock: systemClock,
  streamedPlatforms: [],
  liveSinceMs: () => null,
  coverageSlackMs: 0,
});

type Window = { platform?: SearchPlatform; fromMs?: number; toMs?: number };

function search(query: string, window: Window = {}): TrialQuery {
  const { platform = "social", fromMs = coveredFromMs, toMs = coveredToMs } = window;
  const platforms = platform === "social" ? allPlatforms : [platform];
  return {
    name: `search ${platform} ${query} ${fromMs === coveredFromMs ? "" : fromMs}`.trim(),
    platforms,
    fromMs,
    toMs,
    answer: async (archive) => {
      const values = new Map<string, string>();
      let complete = true;
      let after = null;
      for (let pages = 0; ; pages++) {
        if (pages === maxPages) throw new Error("paging did not end");
        const answer = await searchArchive(
          makeSource(archive),
          { platform, query, fromMs, toMs, asOfMs: coveredToMs, after, maxResults: postsPerPage },
          systemClock.now() + deadlineMs,
        );
        const positions = answer.items.flatMap((item) => ("record" in item ? [] : [item]));
        const page = await readRecords(archive, positions);
        for (const [key, record] of page.values) values.set(key, record);
        complete = complete && answer.complete && page.complete;
        after = answer.next;
        if (after === null) return { values, complete };
      }
    },
  };
}

type Positions = readonly { id: bigint; platform: Platform }[];

async function readRecords(archive: Archive, positions: Positions): Promise<Answer> {
  const { body, damage } = await archive.page(positions);
  const text = Buffer.from(body).toString("utf8");
  const records: { ID: string; Metadata: { platform: Platform } }[] = JSON.parse(text);
  const values = new Map(
    records.map((record) => [`${record.Metadata.platform} ${record.ID}`, JSON.stringify(record)]),
  );
  return { values, complete: damage.length === 0 };
}

function count(query: string, bucketMs: number, platform: SearchPlatform = "social"): TrialQuery {
  return {
    name: `count ${platform} ${query}`,
    platforms: platform === "social" ? allPlatforms : [platform],
    fromMs: coveredFromMs,
    toMs: coveredToMs,
    answer: async (archive) => {
      const { tree } = parseQuery(query);
      const counts = await countArchive(
        makeSource(archive),
        { platform, tree, fromMs: coveredFromMs, toMs: coveredToMs, bucketMs, asOfMs: coveredToMs },
        systemClock.now() + deadlineMs,
      );
      const values = counts.buckets.map(({ fromMs, count }) => [String(fromMs), String(count)]);
      return { values: new Map(values as [string, string][]), complete: counts.complete };
    },
  };
}

function postQuery(platform: Platform, id: bigint, timeMs: number): TrialQuery {
  return {
    name: `post ${platform} ${id}`,
    platforms: [platform],
    fromMs: timeMs,
    toMs: timeMs,
    answer: (archive) => readRecords(archive, [{ platform, id }]),
  };
}

const hourMs = 3_600_000;

/** Cover every kind of term, all platforms and one, and narrow windows. */
export const trialQueries: readonly TrialQuery[] = [
  search("river"),
  search("lantern", { platform: "bluesky" }),
  search("meadow", { platform: "x" }),
  search("harbor", { platform: "mastodon" }),
  search("rare7"),
  search("edition1"),
  search('"river stone cafe"'),
  search('"copper * river"'),
  search("猫"),
  search("#news"),
  search("@bob.example"),
  search("from:ann.example"),
  search("from:latest.example"),
  search("-nowhere"),
  search("-river -stone"),
  search("(river OR stone) -#news lang:en"),
  search("min_faves:100"),
  search("filter:replies winter"),
  search("url:example.com"),
  search("label:spoiler"),
  search("source:Ivory"),
  search("geocode:52.5,13.4,10km"),
  search("river since:2026-01-02 until:2026-01-03"),
  search("stone", { fromMs: postTime(500), toMs: postTime(600) }),
  search("stone", { fromMs: postTime(1_400) }),
  search("river", { platform: "x", fromMs: postTime(450) }),
  count("river", 24 * hourMs),
  count("-nowhere", 6 * hourMs),
  count("stone -#news", hourMs, "bluesky"),
];

export function queriesById({ values }: Answer, interval: number): TrialQuery[] {
  return [...values].flatMap(([key, record], index) => {
    if (index % interval !== 0) return [];
    const [platform = "", id = "0"] = key.split(" ");
    const { Metadata }: { Metadata: { created_at: string } } = JSON.parse(record);
    return [postQuery(platform as Platform, BigInt(id), Date.parse(Metadata.created_at))];
  });
}
