import { describe, expect, test } from "vitest";
import { type IndexForm, indexForms } from "../../../testkit/archives/index-forms.ts";
import { agree, openThreeExecutors } from "../../../testkit/archives/three-executors.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { regressionCases } from "../../../testkit/data/regression-cases.ts";

function answersTo(query: string, posts: Parameters<typeof makePost>[0][], form: IndexForm) {
  const methods = openThreeExecutors(
    posts.map((post) => makePost(post)),
    form,
  );
  try {
    return methods.answersTo(query);
  } finally {
    methods.remove();
  }
}

describe.each(indexForms.filter((form) => form !== "mixed"))(
  "archive (%s), matcher and oracle agree again",
  (form) => {
    test.each(regressionCases)(
      "the archive, the matcher and the oracle agree again: $name, $query",
      ({ query, posts }) => {
        const answers = answersTo(query, [...posts], form);
        expect(agree(answers), JSON.stringify(answers)).toBe(true);
      },
    );
  },
);
