import type { AnswerFormat } from "../../http/answers/negotiate.ts";

/** A null `format` means human-readable text. */
export type SearchInput = { query: string; maxResults: number; format: AnswerFormat | null };

export const bucketLengthsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

export type BucketName = keyof typeof bucketLengthsMs;

/** A null time means unbounded. */
export type CountInput = {
  query: string;
  bucketName: BucketName;
  sinceMs: number | null;
  untilMs: number | null;
  nowMs: number;
};
