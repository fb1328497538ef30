import {
  choice,
  count,
  duration,
  durationOrNone,
  type SettingsOf,
  settingDefaults,
} from "../lib/settings/setting.ts";

export const archiveSettings = {
  segmentPosts: count(
    "EARSHOT_SEGMENT_POSTS",
    1_000_000,
    [1, 100_000_000],
    "Posts in a segment before the next one begins.",
  ),
  readers: count("EARSHOT_READERS", 2, [1, 64], "Threads that read the archive."),
  detectLanguage: choice(
    "EARSHOT_DETECT_LANGUAGE",
    "on",
    ["on", "off"],
    "Whether to detect the language of posts whose source does not report one.",
  ),
};

export const archiveBoundSettings = {
  maxBytes: count(
    "EARSHOT_ARCHIVE_MAX_BYTES",
    20_000_000_000,
    [10_000_000, 1_000 * 1024 ** 4],
    "Maximum size of the archive on disk. Above it, the oldest streamed posts are deleted and imports are refused.",
  ),
  maxAgeMs: durationOrNone(
    "EARSHOT_ARCHIVE_MAX_AGE",
    3_600_000,
    "Maximum age of streamed posts. A segment is deleted once all of its posts are older.",
  ),
  countDelayMs: duration(
    "EARSHOT_COUNT_DELAY",
    60_000,
    1_000,
    "How long likes, reposts, replies and quotes are collected before they are added to the counts of posts.",
  ),
  splitPosts: count(
    "EARSHOT_SPLIT_POSTS",
    1_500_000,
    [2, 100_000_000],
    "Posts above which a segment that late posts have filled is split.",
  ),
  optimiseAfterMs: duration(
    "EARSHOT_OPTIMISE_AFTER",
    600_000,
    1_000,
    "How long a segment must be idle before its FTS5 index is merged.",
  ),
  orphanedMs: duration(
    "EARSHOT_ORPHANED_TIME",
    7 * 86_400_000,
    0,
    "How long orphaned files stay in `archive/orphaned`; shorter if the archive exceeds its size.",
  ),
  retiredMs: duration(
    "EARSHOT_RETIRED_TIME",
    300_000,
    10_000,
    "How long the old file of a rewritten segment stays for running searches; shorter if the archive exceeds its size.",
  ),
  seal: choice(
    "EARSHOT_SEAL",
    "on",
    ["on", "off"],
    "Whether to seal segments that rarely change, which makes searches many times faster. `off` unseals them.",
  ),
  sealAfterMs: duration(
    "EARSHOT_SEAL_AFTER",
    3_600_000,
    1_000,
    "How long a segment must receive no posts before it is sealed.",
  ),
  sealPosts: count(
    "EARSHOT_SEAL_POSTS",
    10_000,
    [1, 100_000_000],
    "Smallest segment that is sealed, in posts.",
  ),
  resealPercent: count(
    "EARSHOT_RESEAL_PERCENT",
    10,
    [1, 100],
    "Percentage of posts written since sealing above which a segment is sealed again.",
  ),
  resealEveryMs: duration(
    "EARSHOT_RESEAL_EVERY",
    86_400_000,
    1_000,
    "Shortest time between two seals of a segment.",
  ),
  memoryBytes: count(
    "EARSHOT_MEMORY",
    205_000_000,
    [1_000_000, 1024 ** 4],
    "Caches of all reader threads together, in bytes (docs/performance.md).",
  ),
};

export const archiveLimits = {
  retainedIngestNumbers: 1_000_000,
};

export type ArchiveBounds = SettingsOf<typeof archiveBoundSettings> & typeof archiveLimits;

export const archiveDefaults: ArchiveBounds = {
  ...settingDefaults(archiveBoundSettings),
  ...archiveLimits,
};
