import { duration } from "../../lib/settings/setting.ts";

const dayMs = 86_400_000;

export const usageSettings = {
  flushMs: duration(
    "EARSHOT_USAGE_FLUSH",
    10_000,
    10,
    "How long usage is collected in memory before it is written; a crash loses up to this much.",
  ),
  retentionMs: duration(
    "EARSHOT_USAGE_RETENTION",
    31 * dayMs,
    3_600_000,
    "How long usage and the history of live streams are stored.",
  ),
  statusCacheMs: duration(
    "EARSHOT_STATUS_CACHE",
    60_000,
    1_000,
    "How long the Status page caches the state of the archive.",
  ),
};
