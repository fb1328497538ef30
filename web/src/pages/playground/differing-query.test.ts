import { expect, test } from "vitest";
import { differingQuery } from "./differing-query.ts";
import { readRequest } from "./search-request.ts";

const comet = readRequest("q=comet");

test("an answer's query is not shown in the heading if the composer shows it", () => {
  expect(differingQuery(comet, { ...comet, query: "comet " }, false)).toBeNull();
  expect(differingQuery(comet, comet, true)).toBeNull();
});

test("an answer's query is shown in the heading if the composer shows another one", () => {
  const tail = readRequest("q=comet tail");
  expect(differingQuery(comet, tail, false)).toBe("comet");
  expect(differingQuery(comet, tail, true)).toBe("comet");
});

test("an answer's query is shown in the heading while it is searched again with other options", () => {
  const mastodon = readRequest("q=comet&platform=mastodon");
  expect([differingQuery(comet, mastodon, true), differingQuery(comet, mastodon, false)]).toEqual([
    "comet",
    null,
  ]);
});
