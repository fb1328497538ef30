import { expect, test } from "vitest";
import { queryToName } from "./named-query.ts";
import { readRequest } from "./search-request.ts";

const comet = readRequest("q=comet");

test("the query of an answer is not named when the composer shows it", () => {
  expect(queryToName(comet, { ...comet, query: "comet " }, false)).toBeNull();
  expect(queryToName(comet, comet, true)).toBeNull();
});

test("the query of an answer is named when the composer shows another one", () => {
  const tail = readRequest("q=comet tail");
  expect(queryToName(comet, tail, false)).toBe("comet");
  expect(queryToName(comet, tail, true)).toBe("comet");
});

test("the query of an answer is named while it is searched again with other options", () => {
  const mastodon = readRequest("q=comet&platform=mastodon");
  expect([queryToName(comet, mastodon, true), queryToName(comet, mastodon, false)]).toEqual([
    "comet",
    null,
  ]);
});
