import { parseQuery } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import { afterEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { CoverageInterval } from "../archive.ts";

const author = "did:plc:author";
const interval: CoverageInterval = {
  platform: "bluesky",
  collection: "posts",
  account: author,
  source: "backfill",
  fromMs: 0,
  toMs: 1_000,
};
let archive: SmallArchive;
afterEach(() => archive.remove());

function coverageFor(query: string): readonly CoverageInterval[] {
  const { operations } = archive.reader;
  const { tree } = parseQuery(query);
  const plan = makePlan(tree, { names: operations.resolve(namesIn(tree)), asOfMs: 0 });
  const request = { plan, fromMs: null, toMs: null, after: null, limit: 1, deadlineMs: 9 };
  return operations
    .search({ ...request, platforms: ["bluesky"] })
    .coverage.flatMap(({ intervals }) => intervals);
}

test("a query for a single author returns that author's coverage", () => {
  archive = smallArchive();
  archive.put(makePost());
  archive.write([], { coverage: [interval] });
  expect(coverageFor(`from:${author}`)).toEqual([interval]);
  expect(coverageFor("from:did:plc:other")).toEqual([]);
  expect(coverageFor("river")).toEqual([]);
});

test("an answer does not claim coverage added during the search", () => {
  let duringSearch = (): void => {};
  archive = smallArchive(10, () => {
    duringSearch();
    return 0;
  });
  archive.put(makePost());
  duringSearch = () => {
    duringSearch = () => {};
    archive.write([], { coverage: [interval] });
  };
  expect(coverageFor(`from:${author}`)).toEqual([]);
  expect(coverageFor(`from:${author}`)).toEqual([interval]);
});
