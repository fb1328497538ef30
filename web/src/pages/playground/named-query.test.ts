import { expect, test } from "vitest";
import { readAsk } from "./ask.ts";
import { queryToName } from "./named-query.ts";

const comet = readAsk("q=comet");

test("an answer under its own query goes without it", () => {
  expect(queryToName(comet, { ...comet, query: "comet " }, false)).toBeNull();
  expect(queryToName(comet, comet, true)).toBeNull();
});

test("an answer under another query names its own", () => {
  const tail = readAsk("q=comet tail");
  expect(queryToName(comet, tail, false)).toBe("comet");
  expect(queryToName(comet, tail, true)).toBe("comet");
});

test("an answer names its query while the same is searched in another way", () => {
  const mastodon = readAsk("q=comet&platform=mastodon");
  expect([queryToName(comet, mastodon, true), queryToName(comet, mastodon, false)]).toEqual([
    "comet",
    null,
  ]);
});
