import { openArchive } from "../../src/archive/threads/open.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Post } from "../../src/posts/post.ts";
import type { configFrom } from "../../src/server/config.ts";

export async function fillArchive(
  { dir: dataDir, secretKey: _unused, ...settings }: ReturnType<typeof configFrom>["data"],
  posts: readonly Post[],
): Promise<void> {
  const archive = await openArchive({
    dataDir,
    ...settings,
    compaction: "off",
    clock: systemClock,
  });
  await archive.write({ changes: posts.map((post) => ({ kind: "upsert" as const, post })) });
  await archive.close();
}
