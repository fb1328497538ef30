import type { Post } from "../../src/posts/post.ts";
import { analyzePost, compileOracle } from "../../test/oracle/oracle.ts";
import { oracleContext, oraclePosts } from "../data/oracle-post.ts";
import { openPostSet } from "../data/post-set.ts";
import { asOfMs } from "../data/vocabulary.ts";
import type { IndexForm } from "./index-forms.ts";

/** Post names, newest first. */
export type Answers = { archive: string[]; matcher: string[]; oracle: string[] };

export type ThreeExecutors = {
  answersTo(query: string): Answers;
  countMatches(query: string): number;
  remove(): void;
};

/** The oracle sees only the API output. */
export function openThreeExecutors(
  posts: readonly Post[],
  form: IndexForm = "fts5",
): ThreeExecutors {
  const set = openPostSet(posts, 15, form);
  const storedPosts = oraclePosts(set.archive, posts);
  const context = oracleContext(posts, storedPosts, asOfMs);
  const analyzedPosts = storedPosts.map((post) => ({
    name: `${post.Metadata.platform} ${post.ID}`,
    post: analyzePost(post),
  }));
  return {
    answersTo: (query) => {
      const plan = set.planOf(query);
      const matches = compileOracle(query, context);
      return {
        archive: set.foundByArchive(plan),
        matcher: set.foundByMatcher(plan),
        oracle: analyzedPosts.filter(({ post }) => matches(post)).map(({ name }) => name),
      };
    },
    countMatches: (query) => set.foundByMatcher(set.planOf(query)).length,
    remove: set.remove,
  };
}

export function agree({ archive, matcher, oracle }: Answers): boolean {
  const found = archive.join();
  return found === matcher.join() && found === oracle.join();
}
