import fc from "fast-check";
import { expect, test } from "vitest";
import { generatedPost } from "../../../testkit/data/generated.ts";
import { testRuns } from "../../../testkit/seed.ts";
import type { PreparedPost } from "../prepared.ts";
import { rowChecksum } from "../segments/checked-rows.ts";
import { startPreparation } from "../write/prepare.ts";
import { createPostPacker, unpackPosts } from "./packed-posts.ts";

const posts = fc.tuple(...Array.from({ length: 12 }, (_, n) => generatedPost(n)));
const columns = (post: PreparedPost): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, post[name]]));
const names = [
  ...["kind", "platform", "uri", "hash", "id", "timeMs", "timeIsCapped", "counts", "revision"],
  ...["imported", "userId", "lacksHandle", "observedMs", "record", "terms", "alias"],
] as (keyof PreparedPost)[];

test("unpacking packed posts and handles returns them unchanged", () => {
  fc.assert(
    fc.property(posts, (drawn) => {
      const preparation = startPreparation("key", Date.UTC(2030, 0, 1));
      for (const post of drawn) preparation.add({ kind: "upsert", post });
      const { changes, handles } = preparation.prepared();
      const upserts = changes.flatMap((change) => (change.kind === "upsert" ? [change] : []));
      expect(Object.keys(upserts[0] ?? {}).toSorted()).toEqual(names.toSorted());
      const packer = createPostPacker();
      for (let round = 0; round < 100; round += 1) upserts.forEach(packer.add);
      const unpacked = unpackPosts(packer.end(handles));
      expect(unpacked.handles).toEqual(handles);
      expect(unpacked.posts.map(columns)).toEqual(
        Array.from({ length: 100 }, () => upserts.map(columns)).flat(),
      );
      for (const [index, { packedTexts }] of unpacked.posts.slice(0, 12).entries()) {
        const { id, timeMs, counts, revision, record, terms } = upserts[index] as PreparedPost;
        expect(
          `${Buffer.from(packedTexts?.record ?? [])}\n${Buffer.from(packedTexts?.terms ?? [])}`,
        ).toBe(`${record}\n${terms}`);
        expect(packedTexts?.checksum).toBe(
          rowChecksum({ id, timeMs, ...counts, revision, record }),
        );
      }
    }),
    { numRuns: testRuns(10) },
  );
});

test("an empty list of posts can be packed and unpacked", () => {
  expect(unpackPosts(createPostPacker().end([]))).toEqual({ posts: [], handles: [] });
});
