import { recentReachMs, type SearchName } from "./search-request.ts";

/** Unix milliseconds, whole seconds; `fromMs` inclusive, null: as far back as the search goes, `toMs` exclusive. */
export type SearchWindow = { search: SearchName; fromMs: number | null; toMs: number };

/** X refuses an end that is less than ten seconds ago. */
const leastAgeMs = 10_000;
/** X's first post. */
const firstPostMs = Date.UTC(2006, 2, 21);

/**
 * The search that serves a window, and the window as X takes it: whole seconds, rounded outwards. Who may not search everything
 * gets what is left of the window within the last seven days. Null when nothing is left of it.
 */
export function searchWindow(
  { fromMs, toMs }: { fromMs: number | null; toMs: number },
  nowMs: number,
  maySearchAll: boolean,
): SearchWindow | null {
  const latestMs = floorSecond(nowMs - leastAgeMs);
  const to = Math.min(ceilSecond(toMs), latestMs);
  const earliestRecentMs = ceilSecond(nowMs - recentReachMs);
  const isRecent = fromMs !== null && fromMs >= earliestRecentMs;
  const from = fromMs === null ? null : floorSecond(fromMs);
  if (isRecent || !maySearchAll) {
    const start = Math.max(from ?? earliestRecentMs, earliestRecentMs);
    return start < to ? { search: "recent", fromMs: start, toMs: to } : null;
  }
  // Without a start the search of everything looks at the last thirty days alone.
  const start = Math.max(from ?? firstPostMs, firstPostMs);
  return start < to ? { search: "all", fromMs: start, toMs: to } : null;
}

const floorSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000;
const ceilSecond = (ms: number): number => Math.ceil(ms / 1_000) * 1_000;
