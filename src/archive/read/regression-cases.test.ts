import { describe, expect, test } from "vitest";
import { type IndexForm, indexForms } from "../../../testkit/archives/index-forms.ts";
import { agree, openThreeExecutors } from "../../../testkit/archives/three-executors.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { regressionCases } from "../../../testkit/data/regression-cases.ts";

function answersTo(query: string, posts: Parameters<typeof makePost>[0][], form: IndexForm) {
  const executors = openThreeExecutors(
    posts.map((post) => makePost(post)),
    form,
  );
  try {
    return executors.answersTo(query);
  } finally {
    executors.remove();
  }
}

describe.each(indexForms.filter((form) => form !== "mixed"))(
  "cases on which archive (%s), matcher and oracle once disagreed",
  (form) => {
    test.each(regressionCases)(
      "the archive, the matcher and the oracle agree on a case that once failed: $name, $query",
      ({ query, posts }) => {
        const answers = answersTo(query, [...posts], form);
        expect(agree(answers), JSON.stringify(answers)).toBe(true);
      },
    );
  },
);
