import { longestArchiveQuery, longestLiveQuery } from "@earshot/query";
import { platforms } from "@earshot/query/tree";
import { methods, type SearchMethod, searchMethods } from "../../../../src/platforms/methods.ts";
import type { SearchPlatform } from "../../../../src/platforms/source.ts";

/** Everything that a shared address contains. */
export type Request = {
  query: string;
  method: SearchMethod;
  platform: SearchPlatform;
  maxResults: number;
};

const usualResults = 20;
const sizes = [20, 50, 100, 500];

/** The offered sizes, including that of the address. */
export function sizesFor({ method, maxResults }: Request): readonly number[] {
  const offered = sizes.filter((size) => size <= methods[method].bound);
  return [...new Set([...offered, maxResults])].sort((a, b) => a - b);
}

export function longestQuery(method: SearchMethod): number {
  return method === "searchbyquery" ? longestLiveQuery : longestArchiveQuery;
}

/** Caps the size to the bound of the method. */
export function withMethod(request: Request, method: SearchMethod): Request {
  return { ...request, method, maxResults: Math.min(request.maxResults, methods[method].bound) };
}

/** Invalid values fall back to defaults. */
export function readRequest(search: string): Request {
  const requested = new URLSearchParams(search);
  const method = searchMethods.find((name) => name === requested.get("method")) ?? "searchbyquery";
  const platform = platforms.find((name) => name === requested.get("platform")) ?? "social";
  const size = Number(requested.get("max") ?? usualResults);
  const fits = Number.isInteger(size) && size >= 1 && size <= methods[method].bound;
  return {
    query: (requested.get("q") ?? "").toWellFormed(),
    method,
    platform,
    maxResults: fits ? size : usualResults,
  };
}

/** Relative to /dashboard; defaults are omitted. */
export function addressOf({ query, method, platform, maxResults }: Request): string {
  const requested = new URLSearchParams();
  if (query !== "") requested.set("q", query);
  if (method !== "searchbyquery") requested.set("method", method);
  if (platform !== "social") requested.set("platform", platform);
  if (maxResults !== usualResults) requested.set("max", String(maxResults));
  const written = requested.toString();
  return written === "" ? "/playground" : `/playground?${written}`;
}

export function submissionOf({ query, method, platform, maxResults }: Request): {
  path: string;
  body: { type: string; arguments: Record<string, string | number> };
} {
  return {
    path: `/v1/search/${platform}`,
    body: { type: platform, arguments: { type: method, query, max_results: maxResults } },
  };
}
