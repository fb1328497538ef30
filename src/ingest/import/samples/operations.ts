import { read, relaxed } from "../../../db/operations.ts";
import type { Platform } from "../../../posts/post.ts";

/** How a stream stood in five minutes. */
export type IngestSample = {
  platform: Platform;
  /** When they began, Unix milliseconds. */
  bucketMs: number;
  /** The most that it was behind; null where its events do not tell. */
  lagMs: number | null;
  /** Posts that it brought. */
  posts: number;
};

export type SampleOperations = typeof sampleOperations;

export const sampleOperations = {
  /** Adds to what is held of the same five minutes. */
  addIngestSamples: relaxed((database, { samples }: { samples: readonly IngestSample[] }): null => {
    for (const sample of samples) {
      database.run(
        `INSERT INTO ingest_sample(platform, bucket_ms, lag_ms, posts) VALUES(:platform, :bucketMs, :lagMs, :posts)
         ON CONFLICT DO UPDATE SET posts = posts + excluded.posts,
           lag_ms = coalesce(max(lag_ms, excluded.lag_ms), lag_ms, excluded.lag_ms)`,
        sample,
      );
    }
    return null;
  }),

  /** The most that streams were behind, in stretches of `widthMs` from a time on; those of which nothing is known are left out. */
  ingestLags: read(
    (
      database,
      asked: { fromMs: number; widthMs: number },
    ): { platform: Platform; startMs: number; lagMs: number }[] =>
      database.all(
        `SELECT platform, bucket_ms - bucket_ms % :widthMs AS startMs, max(lag_ms) AS lagMs
         FROM ingest_sample WHERE bucket_ms >= :fromMs AND lag_ms IS NOT NULL
         GROUP BY 1, 2 ORDER BY 1, 2`,
        asked,
      ),
  ),

  /** A few rows an hour: all that are too old go at once. */
  dropIngestSamples: relaxed((database, { beforeMs }: { beforeMs: number }): null => {
    database.run("DELETE FROM ingest_sample WHERE bucket_ms < :beforeMs", { beforeMs });
    return null;
  }),
};
