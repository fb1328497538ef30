import { longestArchiveQuery, longestLiveQuery } from "@earshot/query";
import { platforms } from "@earshot/query/tree";
import { isSearch, type Method, methodNames, methods } from "../../../../src/platforms/methods.ts";
import type { SearchPlatform } from "../../../../src/platforms/source.ts";

/** Everything that a shared address contains. */
export type Request = {
  query: string;
  method: Method;
  platform: SearchPlatform;
  maxResults: number;
  /** ISO 8601, inclusive; the method's default if absent. */
  startTime?: string;
  /** ISO 8601, exclusive. */
  endTime?: string;
};

const defaultResults = 20;
const sizes = [20, 50, 100, 500];

/** Includes the size in the address. */
export function sizesFor({ method, maxResults }: Request): readonly number[] {
  const offeredSizes = sizes.filter((size) => size <= methods[method].bound);
  return [...new Set([...offeredSizes, maxResults])].sort((a, b) => a - b);
}

export function maxQueryLength(method: Method): number {
  return method === "searchbyquery" ? longestLiveQuery : longestArchiveQuery;
}

/** Timelines and trends take no query. */
export function needsQuery(method: Method): boolean {
  return methods[method].query !== "none";
}

/** Reduces the size to the method's maximum. */
export function withMethod(request: Request, method: Method): Request {
  return { ...request, method, maxResults: Math.min(request.maxResults, methods[method].bound) };
}

/** Invalid values fall back to defaults. */
export function readRequest(search: string): Request {
  const parameters = new URLSearchParams(search);
  const method = methodNames.find((name) => name === parameters.get("method")) ?? "searchbyquery";
  const platform = platforms.find((name) => name === parameters.get("platform")) ?? "social";
  const size = Number(parameters.get("max") ?? defaultResults);
  const isAllowed = Number.isInteger(size) && size >= 1 && size <= methods[method].bound;
  return {
    query: (parameters.get("q") ?? "").toWellFormed(),
    method,
    platform,
    maxResults: isAllowed ? size : defaultResults,
    ...requestTimes(parameters.get("from"), parameters.get("to")),
  };
}

/** Omits invalid times. */
export function requestTimes(
  from: string | null,
  to: string | null,
): Pick<Request, "startTime" | "endTime"> {
  const iso = (text: string | null) => {
    const ms = Date.parse(text ?? "");
    return Number.isNaN(ms) ? null : new Date(ms).toISOString();
  };
  const [startTime, endTime] = [iso(from), iso(to)];
  return {
    ...(startTime === null ? {} : { startTime }),
    ...(endTime === null ? {} : { endTime }),
  };
}

/** Relative to /dashboard; defaults are omitted. */
export function searchPagePath({
  query,
  method,
  platform,
  maxResults,
  startTime,
  endTime,
}: Request): string {
  const parameters = new URLSearchParams();
  if (query !== "") parameters.set("q", query);
  if (method !== "searchbyquery") parameters.set("method", method);
  if (platform !== "social") parameters.set("platform", platform);
  if (maxResults !== defaultResults) parameters.set("max", String(maxResults));
  if (startTime !== undefined) parameters.set("from", startTime);
  if (endTime !== undefined) parameters.set("to", endTime);
  const search = parameters.toString();
  return search === "" ? "/playground" : `/playground?${search}`;
}

export function makeSubmission({
  query,
  method,
  platform,
  maxResults,
  startTime,
  endTime,
}: Request): {
  path: string;
  body: { type: string; arguments: Record<string, string | number> };
} {
  return {
    path: `/v1/search/${platform}`,
    body: {
      type: platform,
      arguments: {
        type: method,
        ...(needsQuery(method) ? { query } : {}),
        max_results: maxResults,
        ...(startTime === undefined || !isSearch(method) ? {} : { start_time: startTime }),
        ...(endTime === undefined || !isSearch(method) ? {} : { end_time: endTime }),
      },
    },
  };
}
