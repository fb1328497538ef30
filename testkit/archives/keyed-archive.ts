import { readUriKey } from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { startPreparation } from "../../src/archive/write/prepare.ts";
import { createBatchWriter } from "../../src/archive/write/write-batch.ts";
import { firstInMillisecond, keyedNumber } from "../../src/posts/ids.ts";
import type { Post } from "../../src/posts/post.ts";
import { changeCatalog } from "./change-catalog.ts";

/** Writes posts as before ADR 0055, with IDs from a keyed hash, in ingest order. */
export function putKeyed(folder: string, posts: readonly Post[]): void {
  const catalog = openCatalog(folder);
  const uriKey = readUriKey(catalog);
  const limits = { segmentPosts: 1_000_000, maxBytes: Number.POSITIVE_INFINITY };
  const writer = createBatchWriter(folder, catalog, limits);
  const write = (batch: readonly Post[]): void => {
    const preparation = startPreparation(uriKey, Date.UTC(2030, 0, 1));
    for (const post of batch) preparation.add({ kind: "upsert", post });
    const prepared = preparation.prepared();
    for (const change of prepared.changes) {
      if (change.kind !== "upsert" || change.hash === null) continue;
      change.id = firstInMillisecond(change.id) | keyedNumber(uriKey, change.uri);
    }
    writer.write({ ...prepared, checkpoints: [], coverage: [] });
  };
  const clearNumbering = (): void => changeCatalog(catalog, "UPDATE segment SET numbering = 0");
  const firstPosts = [...Map.groupBy(posts, ({ platform }) => platform).values()].flatMap(
    ([post]) => post ?? [],
  );
  // The first batch creates the segments.
  write(firstPosts);
  clearNumbering();
  write(posts.filter((post) => !firstPosts.includes(post)));
  clearNumbering();
  writer.close();
}
