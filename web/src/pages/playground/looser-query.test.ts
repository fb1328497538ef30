import { parseQuery } from "@earshot/query";
import { expect, it } from "vitest";
import { withoutOneFilter } from "./looser-query.ts";

it.each([
  ["zeppelin lang:eo", { removed: "lang:eo", query: "zeppelin" }],
  ["(a OR b) c -filter:retweets", { removed: "-filter:retweets", query: "(a OR b) c" }],
  ["zeppelin lang:eo -filter:retweets", { removed: "lang:eo", query: "zeppelin -filter:retweets" }],
  ["zeppelin airship", null],
  ["lang:eo", null],
])("the looser query for %j drops the language or the last filter", (query, looser) => {
  expect(withoutOneFilter(parseQuery(query).tree)).toEqual(looser);
});
