import { read, relaxed } from "../../../db/operations.ts";
import type { Steps } from "../../../db/statements.ts";
import type { Platform } from "../../../posts/post.ts";

export type IngestSample = {
  platform: Platform;
  bucketMs: number;
  lagMs: number | null;
  posts: number;
};

export type SampleOperations = typeof sampleOperations;

export const sampleOperations = {
  addIngestSamples: relaxed(function* (
    database,
    { samples }: { samples: readonly IngestSample[] },
  ): Steps<null> {
    for (const sample of samples) {
      yield* database.run(
        `INSERT INTO ingest_sample(platform, bucket_ms, lag_ms, posts) VALUES(:platform, :bucketMs, :lagMs, :posts)
         ON CONFLICT(platform, bucket_ms) DO UPDATE SET posts = ingest_sample.posts + excluded.posts,
           lag_ms = coalesce(max(ingest_sample.lag_ms, excluded.lag_ms), ingest_sample.lag_ms, excluded.lag_ms)`,
        sample,
      );
    }
    return null;
  }),

  ingestLags: read(function* (
    database,
    range: { fromMs: number; widthMs: number },
  ): Steps<{ platform: Platform; startMs: number; lagMs: number }[]> {
    return yield* database.all(
      `SELECT platform, bucket_ms - bucket_ms % :widthMs AS startMs, max(lag_ms) AS lagMs
         FROM ingest_sample WHERE bucket_ms >= :fromMs AND lag_ms IS NOT NULL
         GROUP BY 1, 2 ORDER BY 1, 2`,
      range,
    );
  }),

  dropIngestSamples: relaxed(function* (database, { beforeMs }: { beforeMs: number }): Steps<null> {
    yield* database.run("DELETE FROM ingest_sample WHERE bucket_ms < :beforeMs", { beforeMs });
    return null;
  }),
};
