import {
  choice,
  count,
  countOrNone,
  duration,
  type SettingsOf,
  settingDefaults,
} from "../lib/settings/setting.ts";

export const jobSettings = {
  deadlineMs: duration(
    "EARSHOT_JOB_DEADLINE",
    120_000,
    1_000,
    "Time limit of a job from its submission, including retries.",
  ),
  retryDelayMs: duration(
    "EARSHOT_RETRY_DELAY",
    250,
    1,
    "Delay before the second attempt of a job; it doubles for each further one.",
  ),
  maxAttempts: count("EARSHOT_MAX_ATTEMPTS", 3, [1, 100], "Maximum number of attempts per job."),
  leaseMs: duration(
    "EARSHOT_LEASE",
    30_000,
    1_000,
    "How long a node leases a job before it must renew the lease.",
  ),
  resultRetentionMs: duration(
    "EARSHOT_RESULT_RETENTION",
    86_400_000,
    1_000,
    "How long a result is stored; then the job is `expired`.",
  ),
  retentionMs: duration(
    "EARSHOT_JOB_RETENTION",
    604_800_000,
    1_000,
    "How long a finished job's status is stored; then its uuid is unknown.",
  ),
  idempotencyMs: duration(
    "EARSHOT_IDEMPOTENCY_RETENTION",
    86_400_000,
    1_000,
    "How long an `Idempotency-Key` is stored.",
  ),
  maxWaiting: count(
    "EARSHOT_MAX_WAITING_JOBS",
    10_000,
    [1, 10_000_000],
    "Maximum number of queued jobs; further submissions get 503.",
  ),
  maxRunningPerKey: countOrNone(
    "EARSHOT_MAX_RUNNING_PER_KEY",
    [1, 1_000],
    "Maximum number of running jobs per key. By default, a key can use all slots except those reserved for idle accounts.",
  ),
};

export const jobLimits = {
  deadlineGraceMs: 2_000,
};

export type JobSettings = SettingsOf<typeof jobSettings> & typeof jobLimits;

export const jobDefaults: JobSettings = { ...settingDefaults(jobSettings), ...jobLimits };

export const runnerSettings = {
  fastPath: choice(
    "EARSHOT_FAST_PATH",
    "on",
    ["on", "off"],
    "Whether short searches run before their submission is committed; `off` is for comparisons.",
  ),
  concurrency: count(
    "EARSHOT_NODE_CONCURRENCY",
    64,
    [0, 1_000],
    "Searches that the embedded node runs concurrently; 0 disables them.",
  ),
  fetchConcurrency: count(
    "EARSHOT_NODE_FETCH_CONCURRENCY",
    64,
    [0, 10_000],
    "Jobs of other methods that the embedded node runs concurrently; 0 disables them.",
  ),
};
