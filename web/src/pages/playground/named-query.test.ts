import { expect, test } from "vitest";
import { differingQuery } from "./named-query.ts";
import { readRequest } from "./search-request.ts";

const comet = readRequest("q=comet");

test("the query of an answer is not named when the composer shows it", () => {
  expect(differingQuery(comet, { ...comet, query: "comet " }, false)).toBeNull();
  expect(differingQuery(comet, comet, true)).toBeNull();
});

test("the query of an answer is named when the composer shows another one", () => {
  const tail = readRequest("q=comet tail");
  expect(differingQuery(comet, tail, false)).toBe("comet");
  expect(differingQuery(comet, tail, true)).toBe("comet");
});

test("the query of an answer is named while it is searched again with other options", () => {
  const mastodon = readRequest("q=comet&platform=mastodon");
  expect([differingQuery(comet, mastodon, true), differingQuery(comet, mastodon, false)]).toEqual([
    "comet",
    null,
  ]);
});
