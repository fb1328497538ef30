import { describe, expect, test } from "vitest";
import { type IndexForm, indexForms } from "../../../test/support/index-forms.ts";
import { keptCases } from "../../../test/support/kept-cases.ts";
import { makePost } from "../../../test/support/make-post.ts";
import { agree, openThreeWays } from "../../../test/support/three-ways.ts";

function answersTo(query: string, posts: Parameters<typeof makePost>[0][], form: IndexForm) {
  const ways = openThreeWays(
    posts.map((post) => makePost(post)),
    form,
  );
  try {
    return ways.answersTo(query);
  } finally {
    ways.remove();
  }
}

describe.each(indexForms.filter((form) => form !== "mixed"))(
  "archive (%s), matcher and oracle give the same answer again",
  (form) => {
    test.each(keptCases)("$name: $query", ({ query, posts }) => {
      const answers = answersTo(query, [...posts], form);
      expect(agree(answers), JSON.stringify(answers)).toBe(true);
    });
  },
);
