import { readdirSync } from "node:fs";
import { parseQuery } from "@earshot/query";
import { matches, type Subject } from "@earshot/query/match";
import { makePlan, namesIn, type PlanNode } from "@earshot/query/plan";
import type { Position } from "../../src/archive/archive.ts";
import { comparePositions } from "../../src/archive/read/search.ts";
import { numberedId, postTimeMs, uriNumber } from "../../src/posts/ids.ts";
import type { Post } from "../../src/posts/post.ts";
import { indexTerms } from "../../src/posts/terms.ts";
import { type IndexForm, storePostsAs } from "../archives/index-forms.ts";
import { type SmallArchive, smallArchive } from "../archives/small-archive.ts";
import { asOfMs } from "./vocabulary.ts";

/** Archives cap later times. */
export const capMs = Date.UTC(2030, 0, 1);

export const positionName = ({ platform, id }: Position): string => `${platform} ${id}`;

export type PostSet = {
  posts: readonly Post[];
  archive: SmallArchive;
  planOf(query: string): PlanNode;
  foundByArchive(plan: PlanNode): string[];
  foundByPaging(plan: PlanNode, limit: number): string[];
  /** Does not use the archive. */
  foundByMatcher(plan: PlanNode): string[];
  remove(): void;
};

/** Small segments, so that results span many. */
export function openPostSet(
  posts: readonly Post[],
  segmentPosts = 9,
  form: IndexForm = "fts5",
): PostSet {
  const archive = smallArchive(segmentPosts);
  storePostsAs(archive, posts, form);
  const subjects = posts.map(postSubject).sort(comparePositions);

  function page(plan: PlanNode, limit: number, after: Position | null) {
    return archive.search({ plan, limit, after });
  }

  return {
    posts,
    archive,
    planOf: (query) => {
      const { tree } = parseQuery(query);
      const names = archive.reader.operations.resolve(namesIn(tree));
      return makePlan(tree, { names, asOfMs });
    },
    foundByArchive: (plan) => page(plan, posts.length + 1, null).positions.map(positionName),
    foundByPaging: (plan, limit) => {
      const found: string[] = [];
      let after: Position | null = null;
      do {
        const { positions, next } = page(plan, limit, after);
        found.push(...positions.map(positionName));
        after = next;
      } while (after !== null && found.length <= posts.length);
      return found;
    },
    foundByMatcher: (plan) =>
      subjects.filter((subject) => matches(plan, subject)).map(positionName),
    remove: () => {
      const isDamaged = readdirSync(archive.folder, { recursive: true }).some((name) =>
        String(name).endsWith(".damaged"),
      );
      archive.remove();
      // Searches do not use a damaged index.
      if (isDamaged) throw new Error("a sealed segment was marked as damaged");
    },
  };
}

function postSubject(post: Post): Subject {
  const timeMs = postTimeMs(post, capMs);
  let terms: readonly string[] | null = null;
  return {
    id: post.nativeId ?? numberedId(timeMs, uriNumber(post.uri)),
    platform: post.platform,
    timeMs,
    counts: post.counts,
    geo: () => post.geo,
    terms: () => {
      terms ??= indexTerms(post);
      return terms;
    },
  };
}
