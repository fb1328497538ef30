/** Limits and times of jobs; durations in milliseconds. */
export type JobSettings = {
  /** From submission to the end, all attempts included. */
  deadlineMs: number;
  /** How much later a job that runs may still hand in what it found. */
  deadlineGraceMs: number;
  maxAttempts: number;
  /** How long a node holds a job before it must renew its lease. */
  leaseMs: number;
  /** Before the second attempt; doubled before each further one. */
  retryDelayMs: number;
  /** How long a result is kept after the end of its job. */
  resultRetentionMs: number;
  /** How long a job is known after its end. */
  retentionMs: number;
  /** How long a submission that is repeated under its idempotency key is known. */
  idempotencyMs: number;
  /** Jobs that may wait for a node. */
  maxWaiting: number;
  /** Jobs of one key that run at the same time; null: as many as there are slots on all nodes. */
  maxRunningPerKey: number | null;
};

export const jobDefaults: JobSettings = {
  deadlineMs: 120_000,
  deadlineGraceMs: 2_000,
  maxAttempts: 3,
  leaseMs: 30_000,
  retryDelayMs: 250,
  resultRetentionMs: 86_400_000,
  retentionMs: 604_800_000,
  idempotencyMs: 86_400_000,
  maxWaiting: 10_000,
  maxRunningPerKey: null,
};
