import { longestArchiveQuery, longestLiveQuery } from "@earshot/query";
import { platforms } from "@earshot/query/tree";
import { methods, type SearchMethod, searchMethods } from "../../../../src/platforms/methods.ts";
import type { SearchPlatform } from "../../../../src/platforms/source.ts";

/** Everything that a shared address contains. */
export type Ask = {
  query: string;
  method: SearchMethod;
  platform: SearchPlatform;
  maxResults: number;
};

const usualResults = 20;
const sizes = [20, 50, 100, 500];

/** The offered sizes, including that of the address. */
export function sizesFor({ method, maxResults }: Ask): readonly number[] {
  const offered = sizes.filter((size) => size <= methods[method].bound);
  return [...new Set([...offered, maxResults])].sort((a, b) => a - b);
}

export function longestQuery(method: SearchMethod): number {
  return method === "searchbyquery" ? longestLiveQuery : longestArchiveQuery;
}

/** Caps the size to the bound of the method. */
export function withMethod(ask: Ask, method: SearchMethod): Ask {
  return { ...ask, method, maxResults: Math.min(ask.maxResults, methods[method].bound) };
}

/** Invalid values fall back to defaults. */
export function readAsk(search: string): Ask {
  const asked = new URLSearchParams(search);
  const method = searchMethods.find((name) => name === asked.get("method")) ?? "searchbyquery";
  const platform = platforms.find((name) => name === asked.get("platform")) ?? "social";
  const size = Number(asked.get("max") ?? usualResults);
  const fits = Number.isInteger(size) && size >= 1 && size <= methods[method].bound;
  return {
    query: (asked.get("q") ?? "").toWellFormed(),
    method,
    platform,
    maxResults: fits ? size : usualResults,
  };
}

/** Relative to /dashboard; defaults are omitted. */
export function addressOf({ query, method, platform, maxResults }: Ask): string {
  const asked = new URLSearchParams();
  if (query !== "") asked.set("q", query);
  if (method !== "searchbyquery") asked.set("method", method);
  if (platform !== "social") asked.set("platform", platform);
  if (maxResults !== usualResults) asked.set("max", String(maxResults));
  const written = asked.toString();
  return written === "" ? "/playground" : `/playground?${written}`;
}

export function submissionOf({ query, method, platform, maxResults }: Ask): {
  path: string;
  body: { type: string; arguments: Record<string, string | number> };
} {
  return {
    path: `/v1/search/${platform}`,
    body: { type: platform, arguments: { type: method, query, max_results: maxResults } },
  };
}
