import fc from "fast-check";
import { expect, test } from "vitest";
import { generatedPost } from "../../../test/support/generated.ts";
import { testRuns } from "../../../test/support/seed.ts";
import { startPreparation } from "../write/prepare.ts";
import { packPosts, unpackPosts } from "./packed-posts.ts";

const posts = fc.tuple(...Array.from({ length: 12 }, (_, n) => generatedPost(n)));

test("posts and handles are the same after they were packed", () => {
  fc.assert(
    fc.property(posts, (drawn) => {
      const preparation = startPreparation("key", Date.UTC(2030, 0, 1));
      for (const post of drawn) preparation.add({ kind: "upsert", post });
      const { changes, handles } = preparation.prepared();
      const upserts = changes.flatMap((change) => (change.kind === "upsert" ? [change] : []));
      expect(unpackPosts(packPosts(upserts, handles))).toEqual({ posts: upserts, handles });
    }),
    { numRuns: testRuns(20) },
  );
});

test("no posts are packed, too", () => {
  expect(unpackPosts(packPosts([], []))).toEqual({ posts: [], handles: [] });
});
