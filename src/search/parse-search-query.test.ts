import { expect, test } from "vitest";
import { EarshotError } from "../lib/errors.ts";
import { parseSearchQuery } from "./parse-search-query.ts";

function queryError(query: string): EarshotError {
  try {
    parseSearchQuery(query);
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown;
    throw thrown;
  }
  throw new Error(`${query} was parsed`);
}

test("an invalid query gets 400 with the message and hint of its first error and the details of all", () => {
  const error = queryError("from:a,b since:x -min_faves:y");
  expect(error).toMatchObject({ code: "invalid_query", status: 400, retryable: false });
  expect(error.message).toBe("from: must have one value, not a,b (at offset 5)");
  expect(error.hint).toBe("write (from:a OR from:b)");
  expect(error.details.map(({ code, offset }) => [code, offset])).toEqual([
    ["one_value_only", 5],
    ["invalid_date", 15],
    ["invalid_count", 28],
  ]);
  expect(error.details[0]).not.toHaveProperty("severity");
});

test("a valid query has a tree and its warnings", () => {
  const { tree, warnings } = parseSearchQuery("a OR b c");
  expect(tree.kind).toBe("and");
  expect(warnings.map(({ code }) => code)).toEqual(["or_binds_tighter"]);
});
