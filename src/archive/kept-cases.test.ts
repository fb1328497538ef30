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
  test.each(keptCases.filter(({ isOpen }) => !isOpen))("$name: $query", ({ query, posts }) => {
    const answers = answersTo(query, [...posts]);
    expect(agree(answers), JSON.stringify(answers)).toBe(true);
  });
});

describe("not settled: the oracle answers otherwise than archive and matcher, who agree", () => {
  test.each(keptCases.filter(({ isOpen }) => isOpen))("$name: $query", ({ query, posts }) => {
    const { archive, matcher, oracle } = answersTo(query, [...posts]);
    expect(archive).toEqual(matcher);
    expect(oracle, "they agree by now: take isOpen from the case").not.toEqual(archive);
  });
});
