import { EarshotError } from "../../lib/errors.ts";
import type { Segment } from "./segment.ts";

/** Searches and counts report all of its posts as damaged; other calls throw `archive_damaged`. */
export function unreadableSegment(path: string): Segment {
  const refuse = (): never => {
    throw new EarshotError("archive_damaged", `${path} cannot be read`, {
      status: 503,
      hint: "find the repair command with earshot archive check",
    });
  };
  return {
    search: (_query, range) => ({
      ids: [],
      stoppedAt: null,
      candidates: 0,
      rechecked: 0,
      containers: 0,
      termReads: 0,
      statements: 0,
      damaged: [range],
    }),
    rows: (ids) => ({ rows: [], damaged: [...ids] }),
    counter: {
      withSnapshot: (work) => work(0),
      count: (_query, range) => ({
        counts: new Map(),
        countedFromMs: null,
        stoppedAt: null,
        damaged: [range],
        statements: 1,
        containers: 0,
      }),
    },
    lookup: {
      has: refuse,
      lowestId: refuse,
      highestId: refuse,
      findById: refuse,
      findByUri: refuse,
    },
    ingestOrder: refuse,
    verify: () => [].values(),
    resizeCache: () => {},
    close: () => {},
  };
}
