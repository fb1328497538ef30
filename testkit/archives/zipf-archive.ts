import { join } from "node:path";
import { seededRandom } from "../../bench/measure.ts";
import { zipfPosts } from "../data/zipf-posts.ts";
import { writerOn } from "./whole-archive.ts";

const postsPerBatch = 1_000;

export function writeZipfPosts(dataDir: string, from: number, to: number): void {
  const writer = writerOn(dataDir, 1_000_000);
  try {
    let batch: Parameters<typeof writer.write>[0][number][] = [];
    let number = -1;
    for (const post of zipfPosts(to, seededRandom(1))) {
      number += 1;
      if (number < from) continue;
      batch.push({ kind: "upsert", post });
      if (batch.length < postsPerBatch && number < to - 1) continue;
      writer.write(batch);
      batch = [];
    }
  } finally {
    writer.close();
  }
}

export const archiveFolder = (dataDir: string): string => join(dataDir, "archive");
