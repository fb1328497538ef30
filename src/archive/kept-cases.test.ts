import { describe, expect, test } from "vitest";
import { keptCases } from "../../test/support/kept-cases.ts";
import { makePost } from "../../test/support/make-post.ts";
import { agree, openThreeWays } from "../../test/support/three-ways.ts";

function answersTo(query: string, posts: Parameters<typeof makePost>[0][]) {
  const ways = openThreeWays(posts.map((post) => makePost(post)));
  try {
    return ways.answersTo(query);
  } finally {
    ways.remove();
  }
}

describe("archive, matcher and oracle give the same answer again", () => {
  test.each(keptCases)("$name: $query", ({ query, posts }) => {
    const answers = answersTo(query, [...posts]);
    expect(agree(answers), JSON.stringify(answers)).toBe(true);
  });
});
