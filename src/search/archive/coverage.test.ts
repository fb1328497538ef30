import { parseQuery } from "@earshot/query";
import { accountByHandle, accountById, accountWithoutId } from "@earshot/query/facets";
import { makePlan, namesIn } from "@earshot/query/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CoverageInterval, PlatformCoverage, Position } from "../../archive/archive.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import { lowestId } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { type ArchiveCoverage, archiveCoverage } from "./coverage.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nowMs = Date.UTC(2026, 10, 21, 12);
const iso = (ms: number | null) => ms && new Date(ms).toISOString().slice(0, 16);
const at = (text: string) => Date.parse(`${text}:00Z`);

const interval = (overrides: Partial<CoverageInterval>): CoverageInterval => ({
  platform: "bluesky",
  collection: "posts",
  account: null,
  source: "jetstream",
  fromMs: nowMs - 30 * dayMs,
  toMs: nowMs,
  ...overrides,
});

const xInterval = (overrides: Partial<CoverageInterval> = {}): CoverageInterval =>
  interval({ platform: "x", source: "import", ...overrides });

function toPlatformCoverage(intervals: readonly CoverageInterval[]): PlatformCoverage[] {
  return platforms
    .map((platform) => ({
      platform,
      intervals: intervals.filter((other) => other.platform === platform),
      hasPosts: true,
    }))
    .filter((each) => each.intervals.length > 0);
}

const accountsByHandle: ReadonlyMap<string, readonly string[]> = new Map([
  ["ann.example", ["did:plc:ann"]],
  ["two.example", ["did:plc:ann", "did:plc:bob"]],
  ["bob.example", ["did:plc:bob"]],
  ["many.example", Array.from({ length: 65 }, (_, index) => `did:plc:${index}`)],
]);

function listKeys(name: string): string[] {
  if (name === "nasa") {
    return [...platforms.map((platform) => accountByHandle(platform, name)), "x/11348282"];
  }
  const ids = accountsByHandle.get(name);
  const handles = platforms.map((platform) => accountByHandle(platform, name));
  if (ids !== undefined) return [...handles, ...ids.map((id) => accountById("bluesky", id))];
  const idKeys = platforms.map((platform) => accountById(platform, name));
  const knownHandles = [...accountsByHandle].filter(([, each]) => each.includes(name));
  return [
    ...handles,
    ...idKeys,
    ...knownHandles.map(([handle]) => accountWithoutId("bluesky", handle)),
  ];
}

type RequestOptions = {
  intervals: readonly CoverageInterval[];
  platform?: SearchPlatform;
  fromMs?: number | null;
  toMs?: number;
  streamedPlatforms?: readonly Platform[];
  slackMs?: number;
  liveSinceMs?: number | null;
  after?: Position | null;
};

function request(query: string, options: RequestOptions): ArchiveCoverage {
  const { platform = "social", fromMs = nowMs - 7 * dayMs, toMs = nowMs } = options;
  const { tree } = parseQuery(query);
  const accounts = new Map(namesIn(tree).accounts.map((name) => [name, listKeys(name)]));
  const names = { accounts, posts: new Map() };
  const plan = makePlan(tree, { names, asOfMs: nowMs });
  const feed = {
    clock: { now: () => nowMs },
    streamedPlatforms: options.streamedPlatforms ?? (["bluesky"] as const),
    coverageSlackMs: options.slackMs ?? 0,
    liveSinceMs: () => (options.liveSinceMs === undefined ? 0 : options.liveSinceMs),
  };
  const { after = null } = options;
  const page = { platform, tree, names, plan, fromMs, toMs, after };
  return archiveCoverage(feed, toPlatformCoverage(options.intervals), page);
}

const listGaps = ({ coverage }: ArchiveCoverage) =>
  coverage.gaps.map(({ fromMs, toMs }) => [iso(fromMs), iso(toMs)]);
const codes = ({ warnings }: ArchiveCoverage) => warnings.map(({ code }) => code);

describe("the coverage of the live stream", () => {
  test("a new stream covers nothing before its start, which a full search reports", () => {
    const streamStart = { fromMs: nowMs - 2 * hourMs };
    const answer = request("comet", { intervals: [interval(streamStart)], fromMs: null });
    expect(answer.coverage.complete).toBe(false);
    expect(listGaps(answer)).toEqual([[null, "2026-11-21T10:00"]]);
    expect(answer.coverage.platforms).toEqual([
      {
        platform: "bluesky",
        collection: "posts",
        complete: false,
        held: [{ fromMs: nowMs - 2 * hourMs, toMs: nowMs }],
        gaps: [{ fromMs: null, toMs: nowMs - 2 * hourMs }],
        truncated: false,
      },
    ]);
  });

  test("a later page claims no coverage after its cursor, where posts may have arrived since", () => {
    const cursorMs = nowMs - hourMs;
    const answer = request("comet", {
      intervals: [interval({ fromMs: nowMs - 8 * dayMs })],
      after: { platform: "bluesky", id: lowestId(cursorMs) },
    });
    expect(answer.coverage).toMatchObject({ toMs: cursorMs + 1, complete: true });
    const positionWithoutTime = { platform: "x", id: 20n } as const;
    const oldAnswer = request("comet", {
      intervals: [interval({ fromMs: nowMs - 8 * dayMs })],
      after: positionWithoutTime,
    });
    expect(oldAnswer.coverage.toMs).toBe(nowMs);
  });

  test("before the first event of a stream, the whole window is a gap", () => {
    const answer = request("comet", { intervals: [] });
    expect(answer.coverage).toMatchObject({ complete: false, truncated: false });
    expect(listGaps(answer)).toEqual([["2026-11-14T12:00", "2026-11-21T12:00"]]);
    expect(answer.coverage.platforms).toMatchObject([{ platform: "bluesky", held: [] }]);
  });

  test("an outage of 37 hours is a gap of exactly 37 hours", () => {
    const intervals = [
      interval({ toMs: nowMs - 50 * hourMs }),
      interval({ fromMs: nowMs - 13 * hourMs }),
    ];
    const answer = request("comet", { intervals });
    expect(listGaps(answer)).toEqual([["2026-11-19T10:00", "2026-11-20T23:00"]]);
    expect(answer.coverage.platforms?.[0]?.held).toEqual([
      { fromMs: nowMs - 7 * dayMs, toMs: nowMs - 50 * hourMs },
      { fromMs: nowMs - 13 * hourMs, toMs: nowMs },
    ]);
    expect(request("comet since:2026-11-21", { intervals }).coverage.complete).toBe(true);
    expect(request("comet until:2026-11-19", { intervals }).coverage.complete).toBe(true);
  });

  test("a backfill closes a gap in the middle, and a partial backfill closes part of it", () => {
    const intervals = [
      interval({ toMs: at("2026-11-18T03:10") }),
      interval({ fromMs: at("2026-11-18T04:25") }),
    ];
    const backfill = { source: "backfill", fromMs: at("2026-11-18T03:00") };
    const halfBackfill = interval({ ...backfill, toMs: at("2026-11-18T04:00") });
    expect(listGaps(request("comet", { intervals }))).toEqual([
      ["2026-11-18T03:10", "2026-11-18T04:25"],
    ]);
    expect(listGaps(request("comet", { intervals: [...intervals, halfBackfill] }))).toEqual([
      ["2026-11-18T04:00", "2026-11-18T04:25"],
    ]);
    const wholeBackfill = interval({ ...backfill, toMs: at("2026-11-18T04:30") });
    expect(request("comet", { intervals: [...intervals, wholeBackfill] }).coverage.complete).toBe(
      true,
    );
  });

  test("a stream with little lag reaches the present, but one with more lag does not", () => {
    const laggingBy = (ms: number) => [interval({ toMs: nowMs - ms })];
    expect(
      request("comet", { intervals: laggingBy(10_000), slackMs: 10_000 }).coverage,
    ).toMatchObject({
      complete: true,
      toMs: nowMs - 10_000,
      platforms: [{ held: [{ fromMs: nowMs - 7 * dayMs, toMs: nowMs - 10_000 }], gaps: [] }],
    });
    expect(
      request("comet", { intervals: laggingBy(10_001), slackMs: 10_000 }).coverage.gaps,
    ).toEqual([{ fromMs: nowMs - 10_001, toMs: nowMs }]);
  });

  test("a stream that is disconnected, or has not caught up since reconnecting, does not reach the present", () => {
    const intervals = [interval({ toMs: nowMs - 3_000 })];
    const laggingStream = { intervals, slackMs: 10_000 };
    const expectedGaps = [{ fromMs: nowMs - 3_000, toMs: nowMs }];
    expect(request("comet", { ...laggingStream, liveSinceMs: null }).coverage.gaps).toEqual(
      expectedGaps,
    );
    expect(
      request("comet", { ...laggingStream, liveSinceMs: nowMs - 2_999 }).coverage.gaps,
    ).toEqual(expectedGaps);
    expect(
      request("comet", { ...laggingStream, liveSinceMs: nowMs - 3_000 }).coverage.complete,
    ).toBe(true);
  });

  test("IDs in the query narrow the covered window, to the second", () => {
    const intervals = [interval({ fromMs: nowMs - dayMs, toMs: nowMs - 2 * hourMs })];
    const sinceId = lowestId(nowMs - 20 * hourMs);
    const maxId = lowestId(nowMs - 3 * hourMs);
    const answer = request(`comet since_id:${sinceId} max_id:${maxId}`, { intervals });
    expect(answer.coverage).toMatchObject({
      fromMs: nowMs - 20 * hourMs - 1_000,
      toMs: nowMs - 3 * hourMs + 1_001,
      complete: true,
    });
    expect(request(`comet since_id:${sinceId}`, { intervals }).coverage.complete).toBe(false);
    expect(request(`comet max_id:${maxId}`, { intervals }).coverage.complete).toBe(false);
    expect(request(`comet OR since_id:${sinceId}`, { intervals }).coverage.fromMs).toBe(
      nowMs - 7 * dayMs,
    );
    const earlyAnswer = request("comet since_id:20 max_id:21", { intervals, fromMs: null });
    expect(earlyAnswer.coverage.fromMs).toBeNull();
    expect(iso(earlyAnswer.coverage.toMs)).toBe("2010-11-04T01:43");
  });
});

describe("the coverage of several platforms", () => {
  test("the coverage of several platforms is reported for each, with all gaps together", () => {
    const intervals = [
      interval({ toMs: nowMs - dayMs }),
      xInterval({ fromMs: nowMs - 6 * dayMs, toMs: nowMs - hourMs }),
    ];
    const answer = request("comet", { intervals });
    expect(listGaps(answer)).toEqual([
      ["2026-11-14T12:00", "2026-11-15T12:00"],
      ["2026-11-20T12:00", "2026-11-21T12:00"],
    ]);
    expect(answer.coverage.platforms).toMatchObject([
      { platform: "bluesky", complete: false, gaps: [{ toMs: nowMs }] },
      { platform: "x", complete: false, gaps: [{}, { fromMs: nowMs - hourMs }] },
    ]);
    expect(request("comet", { intervals, platform: "x" }).coverage.platforms).toHaveLength(1);
    expect(request("comet", { intervals, platform: "mastodon" }).coverage.platforms).toMatchObject([
      { platform: "mastodon", complete: false, held: [] },
    ]);
  });

  test("the oldest of more than a hundred gaps are merged, and no missing time is claimed", () => {
    const intervals = Array.from({ length: 160 }, (_, index) =>
      interval({ fromMs: nowMs - (2 * index + 1) * hourMs, toMs: nowMs - 2 * index * hourMs }),
    );
    const { coverage } = request("comet", { intervals, fromMs: null });
    expect(coverage.truncated).toBe(true);
    expect(coverage.gaps).toHaveLength(100);
    expect(coverage.gaps[0]).toEqual({ fromMs: null, toMs: nowMs - 199 * hourMs });
    expect(coverage.platforms?.[0]?.held[0]).toEqual({
      fromMs: nowMs - 199 * hourMs,
      toMs: nowMs - 198 * hourMs,
    });
    expect(coverage.platforms?.[0]).toMatchObject({ truncated: true });
  });
});

describe("the coverage of accounts whose own posts are complete", () => {
  const stream = interval({ fromMs: nowMs - dayMs });
  const accountInterval = (account: string, overrides: Partial<CoverageInterval> = {}) =>
    interval({ account, source: "backfill", fromMs: 0, toMs: nowMs - hourMs, ...overrides });
  const intervals = [stream, accountInterval("did:plc:ann")];
  const isComplete = (
    query: string,
    storedIntervals = intervals,
    platform: SearchPlatform = "social",
  ) => request(query, { intervals: storedIntervals, fromMs: null, platform }).coverage.complete;

  test("the coverage of a complete account includes its own posts, by name and by id, up to the present of the stream", () => {
    expect(isComplete("from:ann.example")).toBe(true);
    expect(isComplete("from:did:plc:ann comet -moon")).toBe(true);
    expect(isComplete("(comet OR moon) from:ann.example lang:en")).toBe(true);
    expect(
      request("from:ann.example", { intervals, fromMs: null }).coverage.platforms,
    ).toMatchObject([{ held: [{ fromMs: null, toMs: nowMs }], gaps: [] }]);
  });

  test("the coverage of a complete account does not include posts of others", () => {
    for (const query of [
      "comet",
      "-from:ann.example",
      "-(from:bob.example comet)",
      "from:bob.example",
      "from:nobody.example",
      "comet OR from:ann.example",
      "from:ann.example OR from:bob.example",
      "from:ann.example OR from:nobody.example",
      "to:ann.example",
      "@ann.example",
    ]) {
      expect(isComplete(query), query).toBe(false);
    }
  });

  test("a search for posts by several accounts is complete if each account is", () => {
    const bothAccounts = [...intervals, accountInterval("did:plc:bob")];
    expect(isComplete("(from:ann.example OR from:bob.example) comet", bothAccounts)).toBe(true);
    expect(isComplete("(from:ann.example moon) OR (comet from:bob.example)", bothAccounts)).toBe(
      true,
    );
    expect(isComplete("-(-from:ann.example -from:bob.example)", bothAccounts)).toBe(true);
    expect(isComplete("-(-from:ann.example -from:bob.example)")).toBe(false);
    expect(isComplete("-(comet OR -from:ann.example)")).toBe(true);
    expect(isComplete("-(comet -from:ann.example)")).toBe(false);
    const unevenIntervals = [
      stream,
      accountInterval("did:plc:ann", { toMs: nowMs - 26 * hourMs }),
      accountInterval("did:plc:bob", { toMs: nowMs - 30 * hourMs }),
    ];
    const answer = request("from:ann.example OR from:bob.example", {
      intervals: unevenIntervals,
      fromMs: null,
    });
    expect(listGaps(answer)).toEqual([["2026-11-20T06:00", "2026-11-20T12:00"]]);
  });

  test("a search by name is complete only if every account that had the name is", () => {
    expect(isComplete("from:two.example")).toBe(false);
    expect(isComplete("from:two.example", [...intervals, accountInterval("did:plc:bob")])).toBe(
      true,
    );
    const manyAccounts = Array.from({ length: 65 }, (_, index) =>
      accountInterval(`did:plc:${index}`),
    );
    expect(isComplete("from:did:plc:7", [stream, ...manyAccounts])).toBe(true);
    expect(isComplete("from:many.example", [stream, ...manyAccounts])).toBe(false);
  });

  test("a search by a name that no account had is complete only if all posts are", () => {
    expect(
      isComplete(
        "from:nasa",
        [...intervals, accountInterval("nasa", { platform: "x" })],
        "bluesky",
      ),
    ).toBe(false);
  });

  test("a search for an account's posts reports the gap in them, unless the stream closes it", () => {
    const upTo = (ms: number) => [stream, accountInterval("did:plc:ann", { toMs: ms })];
    expect(isComplete("from:ann.example", upTo(nowMs - dayMs))).toBe(true);
    expect(
      listGaps(request("from:ann.example", { intervals: upTo(nowMs - 26 * hourMs), fromMs: null })),
    ).toEqual([["2026-11-20T10:00", "2026-11-20T12:00"]]);
  });

  test("the coverage of another collection, or of the same id on another platform, covers none of an account's posts", () => {
    const likes = accountInterval("did:plc:ann", { collection: "likes" });
    expect(isComplete("from:ann.example", [stream, likes])).toBe(false);
    const otherPlatformIntervals = [
      stream,
      accountInterval("did:plc:ann", { platform: "mastodon" }),
    ];
    expect(isComplete("from:ann.example", otherPlatformIntervals, "bluesky")).toBe(false);
  });

  test("a platform that cannot have the queried account is ignored in the coverage", () => {
    const intervalsWithX = [
      ...intervals,
      xInterval({ fromMs: nowMs - 2 * dayMs, toMs: nowMs - dayMs }),
    ];
    expect(isComplete("from:ann.example", intervalsWithX)).toBe(true);
    expect(isComplete("from:did:plc:ann", intervalsWithX)).toBe(true);
    expect(isComplete("from:ann", intervalsWithX)).toBe(false);
    expect(isComplete("from:ann.example OR (platform:x comet)", intervalsWithX)).toBe(false);
    for (const query of [
      "(from:ann.example platform:bluesky) OR platform:mastodon",
      "(comet -platform:bluesky) OR from:ann.example",
    ]) {
      expect(isComplete(query, intervalsWithX, "bluesky"), query).toBe(true);
    }
    expect(isComplete("(comet -platform:x) OR from:ann.example", intervalsWithX, "bluesky")).toBe(
      false,
    );
  });
});

test("a matching post that is not archived is in a gap, regardless of the query and the coverage", () => {
  const authors = ["ann", "bob", "eve"];
  const hours = Array.from({ length: 12 }, (_, hour) => nowMs - (12 - hour) * hourMs);
  type WrittenPost = { author: string; word: string };
  type RandomQuery = { text: string; matches(post: WrittenPost): boolean };
  const leaf = fc.constantFrom<RandomQuery>(
    { text: "comet", matches: ({ word }) => word === "comet" },
    { text: "platform:x", matches: () => false },
    { text: "platform:bluesky", matches: () => true },
    ...authors.map((name) => ({
      text: `from:did:plc:${name}`,
      matches: ({ author }: WrittenPost) => author === name,
    })),
  );
  const { tree } = fc.letrec<{ tree: RandomQuery }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("tree"), { minLength: 2, maxLength: 3 }).map((parts) => ({
        text: `(${parts.map(({ text }) => text).join(" ")})`,
        matches: (post: WrittenPost) => parts.every((part) => part.matches(post)),
      })),
      fc.array(tie("tree"), { minLength: 2, maxLength: 3 }).map((parts) => ({
        text: `(${parts.map(({ text }) => text).join(" OR ")})`,
        matches: (post: WrittenPost) => parts.some((part) => part.matches(post)),
      })),
      tie("tree").map((part) => ({
        text: `-(${part.text})`,
        matches: (post: WrittenPost) => !part.matches(post),
      })),
    ),
  }));
  const storedSpan = fc.record({
    account: fc.constantFrom(null, ...authors.map((name) => `did:plc:${name}`)),
    from: fc.nat({ max: 11 }),
    length: fc.integer({ min: 1, max: 8 }),
  });
  fc.assert(
    fc.property(tree, fc.array(storedSpan, { maxLength: 6 }), (drawn, parts) => {
      const intervals = parts.map(({ account, from, length }) =>
        interval({
          account,
          source: "backfill",
          fromMs: nowMs - (12 - from) * hourMs,
          toMs: nowMs - (12 - from - length) * hourMs,
        }),
      );
      const { coverage } = request(drawn.text, { intervals, fromMs: nowMs - 12 * hourMs });
      for (const ms of hours) {
        const isInGap = coverage.gaps.some((gap) => (gap.fromMs ?? 0) <= ms && ms < gap.toMs);
        for (const author of authors) {
          const isStored = intervals.some(
            ({ account, fromMs, toMs }) =>
              fromMs <= ms && ms < toMs && (account ?? `did:plc:${author}`) === `did:plc:${author}`,
          );
          const canMatch = ["comet", "moon"].some((word) => drawn.matches({ author, word }));
          if (canMatch && !isStored) expect(isInGap, drawn.text).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});

describe("the coverage of counts and labels", () => {
  const posts = interval({});
  const likes = interval({ collection: "likes", fromMs: nowMs - 3 * dayMs });
  const reposts = interval({ collection: "reposts" });
  const labels = interval({ collection: "labels", source: "labeler" });

  test("a search warns about unfollowed counts if the answer depends on them, without a gap", () => {
    const intervals = [posts, likes, reposts];
    const answer = request("comet min_faves:10 min_retweets:5", { intervals });
    expect(codes(answer)).toEqual(["counts_incomplete"]);
    expect(answer.warnings[0]?.message).toMatch(/^counts of likes on bluesky may be too low/);
    expect(answer.coverage).toMatchObject({ complete: true, gaps: [] });
    expect(answer.coverage.platforms).toMatchObject([
      { collection: "posts", complete: true },
      { collection: "likes", complete: false, held: [{ fromMs: nowMs - 3 * dayMs, toMs: nowMs }] },
      { collection: "reposts", complete: true, gaps: [] },
    ]);
    for (const query of ["-min_faves:10 comet", "comet (moon OR min_faves:1)", "has:engagement"]) {
      expect(codes(request(query, { intervals })), query).toEqual(["counts_incomplete"]);
    }
    for (const query of ["comet", "min_retweets:5", "min_faves:0", "min_replies:3"]) {
      expect(codes(request(query, { intervals })), query).toEqual([]);
    }
  });

  test("a search warns about unfollowed labels", () => {
    for (const query of ["comet filter:safe", "-filter:safe", "moon -label:porn"]) {
      expect(codes(request(query, { intervals: [posts] })), query).toEqual(["labels_incomplete"]);
      expect(codes(request(query, { intervals: [posts, labels] })), query).toEqual([]);
    }
  });

  test("the coverage of labels requires each of several labelers", () => {
    const otherLabels = interval({
      collection: "labels",
      source: "labeler b",
      fromMs: nowMs - dayMs,
    });
    const answer = request("filter:safe", { intervals: [posts, labels, otherLabels] });
    expect(codes(answer)).toEqual(["labels_incomplete"]);
    expect(answer.coverage.platforms?.[1]).toMatchObject({ held: [{ fromMs: nowMs - dayMs }] });
    const wholeLabels = { ...otherLabels, fromMs: nowMs - 9 * dayMs };
    expect(codes(request("filter:safe", { intervals: [posts, labels, wholeLabels] }))).toEqual([]);
  });

  test("the coverage of counts tolerates a lag of five minutes, because they are delayed", () => {
    const laggingBy = (ms: number) => [posts, interval({ collection: "likes", toMs: nowMs - ms })];
    expect(codes(request("min_faves:10", { intervals: laggingBy(300_000) }))).toEqual([]);
    expect(codes(request("min_faves:10", { intervals: laggingBy(300_001) }))).toEqual([
      "counts_incomplete",
    ]);
  });

  test("the coverage of counts extends beyond the window's end, because likes may come later", () => {
    const window = { fromMs: nowMs - 9 * dayMs, toMs: nowMs - 8 * dayMs };
    const outage = [
      interval({ collection: "likes", toMs: nowMs - 2 * dayMs }),
      interval({ collection: "likes", fromMs: nowMs - dayMs }),
    ];
    const answer = request("min_faves:10", { intervals: [posts, ...outage], ...window });
    expect(codes(answer)).toEqual(["counts_incomplete"]);
    expect(answer.coverage.platforms?.[1]).toMatchObject({
      held: [
        { fromMs: nowMs - 9 * dayMs, toMs: nowMs - 2 * dayMs },
        { fromMs: nowMs - dayMs, toMs: nowMs },
      ],
    });
    const wholeLikes = interval({ collection: "likes" });
    expect(codes(request("min_faves:10", { intervals: [posts, wholeLikes], ...window }))).toEqual(
      [],
    );
  });

  test("replies are covered as posts, because they are posts", () => {
    const outage = [interval({ toMs: nowMs - 2 * dayMs }), interval({ fromMs: nowMs - dayMs })];
    const window = { fromMs: nowMs - 9 * dayMs, toMs: nowMs - 8 * dayMs };
    const answer = request("min_replies:2", { intervals: outage, ...window });
    expect(answer.coverage).toMatchObject({ complete: true, platforms: [{}] });
    expect(codes(answer)).toEqual(["counts_incomplete"]);
  });

  test("the counts of imported posts are covered as the file declares", () => {
    const feedOptions = { streamedPlatforms: [] };
    expect(
      codes(request("min_faves:10 filter:safe", { intervals: [xInterval()], ...feedOptions })),
    ).toEqual([]);
    const oldImport = interval({ source: "import", fromMs: 0, toMs: nowMs - 30 * dayMs });
    const oldWindow = { fromMs: null, toMs: nowMs - 40 * dayMs };
    expect(codes(request("min_faves:10", { intervals: [oldImport, posts], ...oldWindow }))).toEqual(
      [],
    );
    const likeInterval = interval({ collection: "likes" });
    expect(
      codes(request("min_faves:10", { intervals: [oldImport, posts, likeInterval], fromMs: null })),
    ).toEqual([]);
    const wideWindow = { fromMs: null, toMs: nowMs - 20 * dayMs };
    expect(
      codes(request("min_faves:10", { intervals: [oldImport, posts], ...wideWindow })),
    ).toEqual(["counts_incomplete"]);
  });

  test("a search that cannot match anything does not warn about counts", () => {
    const intervals = [posts];
    expect(codes(request("min_faves:10 since:2027-01-01", { intervals }))).toEqual([]);
    expect(
      codes(request("min_faves:10 platform:x", { intervals, streamedPlatforms: ["x"] })),
    ).toEqual([]);
  });
});

describe("a search that nothing can answer", () => {
  const noSources = { intervals: [], streamedPlatforms: [] } as const;

  test.each(["social", "bluesky", "mastodon", "x"] as const)(
    "a search of %s without any source warns and names the next step",
    (platform) => {
      const [warning, ...otherWarnings] = request("comet", { ...noSources, platform }).warnings;
      expect(warning).toMatchObject({ code: "no_source", hint: expect.stringContaining("import") });
      expect(otherWarnings).toEqual([]);
    },
  );

  test("a search does not warn about sources if the platform has one or archived posts", () => {
    const feedOptions = {
      intervals: [],
      streamedPlatforms: ["bluesky"],
      platform: "bluesky",
    } as const;
    expect(codes(request("comet", feedOptions))).toEqual([]);
    expect(codes(request("comet", { ...feedOptions, platform: "social" }))).toEqual([]);
    const storedOptions = {
      intervals: [interval({})],
      streamedPlatforms: [],
      platform: "bluesky",
    } as const;
    expect(codes(request("comet", storedOptions))).toEqual([]);
  });

  test("a search does not warn about sources if the query excludes the platform", () => {
    expect(codes(request("comet platform:x", { ...noSources, platform: "mastodon" }))).toEqual([]);
  });
});

describe("the coverage of the stream of one Mastodon server", () => {
  const serverStream = interval({
    platform: "mastodon",
    source: "mastodon-stream:mastodon.social",
  });
  const feedOptions = { streamedPlatforms: ["bluesky", "mastodon"] as const };

  test("the stream of one Mastodon server covers no window, because a server sees only part of the network", () => {
    const { coverage } = request("comet", {
      intervals: [serverStream],
      platform: "mastodon",
      ...feedOptions,
    });
    expect(coverage).toMatchObject({
      complete: false,
      platforms: [{ platform: "mastodon", complete: false, held: [] }],
    });
  });

  test("the stream of one Mastodon server makes a full search incomplete, while Bluesky's part is complete", () => {
    const { coverage } = request("comet", {
      intervals: [interval({}), serverStream],
      ...feedOptions,
    });
    expect(coverage.complete).toBe(false);
    expect(coverage.platforms?.map(({ platform, complete }) => [platform, complete])).toEqual([
      ["bluesky", true],
      ["mastodon", false],
    ]);
  });

  test("a span that an import from a Mastodon server declares as covered is complete", () => {
    const importInterval = interval({ platform: "mastodon", source: "import", fromMs: 0 });
    const pastWindow = { toMs: nowMs - dayMs };
    const options = {
      intervals: [importInterval, serverStream],
      platform: "mastodon",
      ...pastWindow,
      ...feedOptions,
    } as const;
    expect(request("comet", options).coverage.complete).toBe(true);
  });
});
