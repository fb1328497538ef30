import { describe, expect, test } from "vitest";
import { archiveId } from "../../catalog/archive-id.ts";
import type { Candidate } from "./candidates.ts";
import { chooseSegments, chooseUriKey } from "./choose-segments.ts";

type CandidateOptions = {
  sequence: number;
  low?: bigint;
  createdInCommit?: number;
  lastWrittenInCommit?: number;
  replaces?: number | null;
  ids?: [bigint, bigint] | null;
  uriKey?: string;
};

function candidate(options: CandidateOptions): Candidate {
  const {
    sequence,
    low = 0n,
    createdInCommit = 1,
    lastWrittenInCommit = createdInCommit,
    replaces = null,
  } = options;
  const [minId, maxId] = options.ids ?? [null, null];
  const uriKey = options.uriKey ?? "key";
  const identity = {
    uriKey,
    platform: "bluesky",
    sequence,
    low,
    createdInCommit,
    lastWrittenInCommit,
    replaces,
  };
  return { platform: "bluesky", sequence, identity, posts: 1, minId, maxId };
}

function choose(...candidates: CandidateOptions[]): { used: number[]; unused: string[] } {
  const choice = chooseSegments(candidates.map(candidate), "key");
  return {
    used: choice.chosen.map(({ sequence }) => sequence),
    unused: choice.unused.map(({ sequence, reason }) => `${sequence} ${reason}`),
  };
}

const ms = 1n << 22n;

describe("chosen segments have no common IDs", () => {
  test("all disjoint segments are chosen, in ID order, the first from ID 0", () => {
    const { chosen: chosenSegments } = chooseSegments(
      [
        candidate({ sequence: 3, low: 20n * ms, ids: [21n * ms, 22n * ms] }),
        candidate({ sequence: 1, low: 5n * ms, ids: [6n * ms, 19n * ms] }),
      ],
      "key",
    );
    expect(chosenSegments.map(({ sequence, low }) => [sequence, low])).toEqual([
      [1, 0n],
      [3, 20n * ms],
    ]);
  });

  test("a replaced segment is omitted", () => {
    expect(
      choose(
        { sequence: 1, lastWrittenInCommit: 7, ids: [ms, 9n * ms] },
        { sequence: 2, createdInCommit: 8, replaces: 1, ids: [ms, 4n * ms] },
        { sequence: 3, createdInCommit: 8, replaces: 1, low: 5n * ms, ids: [5n * ms, 9n * ms] },
      ),
    ).toEqual({ used: [2, 3], unused: ["1 replaced"] });
  });

  test("a replacement is omitted if the segment it replaces was written later", () => {
    expect(
      choose(
        { sequence: 1, lastWrittenInCommit: 8, ids: [ms, 9n * ms] },
        { sequence: 2, createdInCommit: 8, replaces: 1, ids: [ms, 9n * ms] },
      ),
    ).toEqual({ used: [1], unused: ["2 unfinished"] });
  });

  test("of two overlapping segments, the one written last is chosen", () => {
    expect(
      choose(
        { sequence: 1, lastWrittenInCommit: 12, ids: [ms, 40n * ms] },
        { sequence: 2, low: 30n * ms, createdInCommit: 9, ids: [31n * ms, 33n * ms] },
      ),
    ).toEqual({ used: [1], unused: ["2 overlapped"] });
    expect(
      choose(
        { sequence: 1, lastWrittenInCommit: 5, ids: [ms, 40n * ms] },
        { sequence: 2, low: 30n * ms, createdInCommit: 9, ids: [31n * ms, 33n * ms] },
      ),
    ).toEqual({ used: [2], unused: ["1 overlapped"] });
  });

  test("a segment of another archive, or whose sequence number is not its recorded one, is omitted", () => {
    expect(choose({ sequence: 1 }, { sequence: 2, uriKey: "other" })).toEqual({
      used: [1],
      unused: ["2 of another archive"],
    });
    const renamed = { ...candidate({ sequence: 1 }), sequence: 5 };
    expect(chooseSegments([renamed], "key").chosen).toEqual([]);
  });

  test("a segment that took over the IDs of an expired one starts at the millisecond of its first post", () => {
    const { chosen: chosenSegments } = chooseSegments(
      [
        candidate({ sequence: 1, ids: [ms, 2n * ms] }),
        candidate({ sequence: 3, low: 30n * ms, ids: [10n * ms + 5n, 33n * ms] }),
      ],
      "key",
    );
    expect(chosenSegments[1]?.low).toBe(10n * ms);
  });
});

describe("uri key of the segments", () => {
  const candidates = [
    candidate({ sequence: 1, uriKey: "a" }),
    candidate({ sequence: 2, uriKey: "b" }),
    candidate({ sequence: 3, uriKey: "b" }),
  ];

  test("the uri key is that of the archive recorded in the data folder", () => {
    expect(chooseUriKey(candidates, archiveId("a"))).toBe("a");
  });

  test("the uri key is the one with the most posts if no matching archive is recorded", () => {
    expect(chooseUriKey(candidates, null)).toBe("b");
    expect(chooseUriKey(candidates, archiveId("c"))).toBe("b");
  });

  test("the uri key is unknown if no segment has an identity", () => {
    expect(chooseUriKey([{ ...candidate({ sequence: 1 }), identity: null }], null)).toBe(null);
  });
});
