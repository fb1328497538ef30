import { expect, test } from "vitest";
import { type PastSearch, parseHistory, withSaved, withSearch } from "./query-history.ts";

const search = (query: string, atMs = 1) => ({ query, atMs, address: `/playground?q=${query}` });

test("the query history lists a repeated search once, at the top, and keeps it saved", () => {
  let searches: readonly PastSearch[] = [];
  for (const query of ["a", "b"]) searches = withSearch(searches, search(query));
  searches = withSaved(searches, "/playground?q=a", true);
  searches = withSearch(searches, search("a", 2));
  expect(searches).toEqual([
    { ...search("a", 2), isSaved: true },
    { ...search("b"), isSaved: false },
  ]);
});

test("the query history drops the oldest of more than thirty searches, unless it was saved", () => {
  let searches = withSearch([], search("first"));
  searches = withSaved(searches, "/playground?q=first", true);
  for (let n = 0; n < 40; n += 1) searches = withSearch(searches, search(`q${n}`));
  expect(searches).toHaveLength(31);
  expect(searches.at(-1)?.query).toBe("first");
});

test("the query history ignores stored text that it did not write", () => {
  expect(parseHistory(null)).toEqual([]);
  expect(parseHistory("{")).toEqual([]);
  expect(parseHistory('[1, {"address":"https://evil.example"}]')).toEqual([]);
});
