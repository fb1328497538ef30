import { liveWindowMs } from "../methods.ts";
import type { SearchName } from "./search-request.ts";

/** In whole seconds. A null `fromMs` means as far back as possible. */
export type SearchWindow = { search: SearchName; fromMs: number | null; toMs: number };

/** X rejects a window that ends less than this before the request. */
const minAgeMs = 10_000;
const firstPostMs = Date.UTC(2006, 2, 21);
/**
 * Recent search rejects a start beyond its reach on arrival, so one this close to it is omitted.
 */
const startMarginMs = 900_000;

/** Null if X accepts no part. */
export function searchWindow(
  { fromMs, toMs }: { fromMs: number | null; toMs: number },
  nowMs: number,
  search: SearchName,
): SearchWindow | null {
  const latestMs = floorSecond(nowMs - minAgeMs);
  const endMs = Math.min(ceilSecond(toMs), latestMs);
  const earliestMs = search === "recent" ? nowMs - liveWindowMs : firstPostMs;
  const startMs = Math.max(fromMs === null ? earliestMs : floorSecond(fromMs), earliestMs);
  if (startMs >= endMs) return null;
  // Full-archive search without a start covers only thirty days.
  const isOpen = search === "recent" && startMs < earliestMs + startMarginMs;
  return { search, fromMs: isOpen ? null : startMs, toMs: endMs };
}

const floorSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000;
const ceilSecond = (ms: number): number => Math.ceil(ms / 1_000) * 1_000;
