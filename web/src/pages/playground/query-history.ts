import { readStored, writeStored } from "../../theme.ts";

/** `address` is relative to /dashboard. */
export type PastSearch = { address: string; query: string; atMs: number; isSaved: boolean };

const maxRecent = 30;
const maxSaved = 100;

const storageKey = (accountId: string): string => `earshot-searches-${accountId}`;

/** Newest first. */
export function readHistory(accountId: string): readonly PastSearch[] {
  return parseHistory(readStored(storageKey(accountId)));
}

export function writeHistory(accountId: string, searches: readonly PastSearch[]): void {
  writeStored(storageKey(accountId), searches.length === 0 ? null : JSON.stringify(searches));
}

/** Ignores text that this page did not write. */
export function parseHistory(text: string | null): readonly PastSearch[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(parsed) ? parsed.filter(isPastSearch) : [];
  } catch {
    return [];
  }
}

function isPastSearch(entry: unknown): entry is PastSearch {
  if (typeof entry !== "object" || entry === null) return false;
  const { address, query, atMs, isSaved } = entry as Partial<PastSearch>;
  return (
    typeof address === "string" &&
    address.startsWith("/playground") &&
    typeof query === "string" &&
    typeof atMs === "number" &&
    typeof isSaved === "boolean"
  );
}

/** Moves a repeated search to the top. Saved searches have their own limit. */
export function withSearch(
  searches: readonly PastSearch[],
  search: Omit<PastSearch, "isSaved">,
): readonly PastSearch[] {
  const earlierSearch = searches.find(({ address }) => address === search.address);
  const otherSearches = searches.filter((other) => other !== earlierSearch);
  return applyLimits([{ ...search, isSaved: earlierSearch?.isSaved ?? false }, ...otherSearches]);
}

export function withSaved(
  searches: readonly PastSearch[],
  address: string,
  isSaved: boolean,
): readonly PastSearch[] {
  return applyLimits(
    searches.map((search) => (search.address === address ? { ...search, isSaved } : search)),
  );
}

function applyLimits(searches: readonly PastSearch[]): readonly PastSearch[] {
  const savedSearches = searches.filter(({ isSaved }) => isSaved).slice(0, maxSaved);
  const recentSearches = searches.filter(({ isSaved }) => !isSaved).slice(0, maxRecent);
  return searches.filter(
    (search) => savedSearches.includes(search) || recentSearches.includes(search),
  );
}
