import { liveWindowMs } from "../methods.ts";
import type { SearchName } from "./search-request.ts";

/** Unix milliseconds, whole seconds; `fromMs` inclusive, null: as far back as the search looks, `toMs` exclusive. */
export type SearchWindow = { search: SearchName; fromMs: number | null; toMs: number };

/** X refuses an end that is less than ten seconds ago. */
const leastAgeMs = 10_000;
/** X's first post. */
const firstPostMs = Date.UTC(2006, 2, 21);
/**
 * A start this near to the reach of the recent search is left out: X refuses one that has passed it by the time the request
 * arrives.
 */
const longestWaitMs = 900_000;

/** The window as a search takes it: whole seconds, rounded outwards. Null when nothing is left of it. */
export function searchWindow(
  { fromMs, toMs }: { fromMs: number | null; toMs: number },
  nowMs: number,
  search: SearchName,
): SearchWindow | null {
  const latestMs = floorSecond(nowMs - leastAgeMs);
  const to = Math.min(ceilSecond(toMs), latestMs);
  const earliestMs = search === "recent" ? nowMs - liveWindowMs : firstPostMs;
  const start = Math.max(fromMs === null ? earliestMs : floorSecond(fromMs), earliestMs);
  if (start >= to) return null;
  // Without a start the search of everything looks at the last thirty days alone.
  const isOpen = search === "recent" && start < earliestMs + longestWaitMs;
  return { search, fromMs: isOpen ? null : start, toMs: to };
}

const floorSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000;
const ceilSecond = (ms: number): number => Math.ceil(ms / 1_000) * 1_000;
