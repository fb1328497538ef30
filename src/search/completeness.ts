import { intersectionOf, intervalsIn, type Span, unionOf } from "../archive/catalog/coverage.ts";
import type { Coverage, SourceRequest } from "../platforms/source.ts";
import type { UpstreamWarning } from "../platforms/upstream.ts";
import { idTimeMs } from "../posts/ids.ts";
import type { Platform } from "../posts/post.ts";

/**
 * The one place that decides whether an answer is complete: from what was requested and from what was read of it. Adapters and
 * readers report facts alone: that a page leaves something out (`isPartial`), and from when on it was read (`sinceMs`).
 */

/** What was read of a platform. */
export type Reading = {
  remarks: readonly UpstreamWarning[];
  /** Unix milliseconds; null where posts of any age were read. */
  sinceMs: number | null;
};

/** Whether nothing was left out of what was read. */
export const isWhole = (remarks: readonly UpstreamWarning[]): boolean =>
  !remarks.some(({ isPartial }) => isPartial === true);

/** The part of requested spans that was read to its end. */
export function readOf(requested: readonly Span[], { remarks, sinceMs }: Reading): readonly Span[] {
  if (!isWhole(remarks)) return [];
  return sinceMs === null ? requested : since(requested, sinceMs);
}

/** The part of spans from a time on. */
export const since = (spans: readonly Span[], fromMs: number): readonly Span[] =>
  intersectionOf([...spans], [{ fromMs, toMs: Number.MAX_SAFE_INTEGER }]);

/** A post's number may be of another second than X says. */
const leastMissingMs = 1_000;

/** What a reading that has come to its end leaves unread of what was requested. */
export function missingOf(requested: Span, { remarks, sinceMs }: Reading): readonly Span[] {
  if (!isWhole(remarks)) return [requested];
  const { fromMs } = requested;
  if (sinceMs === null || (fromMs !== null && sinceMs - fromMs <= leastMissingMs)) return [];
  return [{ fromMs, toMs: Math.min(sinceMs, requested.toMs) }];
}

/** The coverage of a method that does not search, of which these spans were not read. */
export function fetchCoverage(requested: Span, missing: readonly Span[]): Coverage {
  return {
    ...requested,
    complete: missing.length === 0,
    gaps: missing,
    truncated: false,
    platforms: [],
  };
}

/** What platforms were searched for, and what of it they answered completely. */
export type SearchedPlatform = {
  platform: Platform;
  closed: readonly Span[];
  /** From when on it was searched, where that is later than requested; null else. */
  sinceMs: number | null;
};

/**
 * How much of the oldest part of a live window may have passed out of the reach of a platform's recent search while the request
 * was on its way, milliseconds.
 */
export const liveToleranceMs = 900_000;

/**
 * The coverage of a search: what platforms answered completely is no gap. Of the platforms that are searched a later page covers
 * what is older than the page before. A live window begins where the recent search of a platform begins.
 */
export function searchCoverage(
  coverage: Coverage,
  {
    searched,
    askable,
    after,
    isLive,
  }: {
    searched: readonly SearchedPlatform[];
    askable: readonly Platform[];
    after: SourceRequest["after"];
    isLive: boolean;
  },
): Coverage {
  const known = (coverage.platforms ?? []).filter(({ collection }) => collection === "posts");
  if (known.length === 0) return coverage;
  const fromMs = startOf(coverage, isLive ? searched : []);
  const endOf = (platform: Platform): number =>
    askable.includes(platform) ? Math.min(coverage.toMs, lastOf(after, platform)) : coverage.toMs;
  const lastMs = Math.max(...known.map(({ platform }) => endOf(platform)));
  const window = { fromMs, toMs: Math.max(lastMs, fromMs ?? lastMs) };
  const each = (coverage.platforms ?? []).map((one) => {
    if (one.collection !== "posts") return one;
    const closed = searched.find(({ platform }) => platform === one.platform)?.closed ?? [];
    const asked = { fromMs, toMs: Math.max(endOf(one.platform), fromMs ?? 0) };
    const open = intersectionOf([...one.gaps], [asked]);
    const gaps = intersectionOf(open, intervalsIn(asked, unionOf(closed)));
    return { ...one, complete: gaps.length === 0, gaps, held: intervalsIn(asked, gaps) };
  });
  const gaps = unionOf(each.flatMap((one) => (one.collection === "posts" ? one.gaps : [])));
  return { ...coverage, ...window, complete: gaps.length === 0, gaps, platforms: each };
}

/** X reports the times of its posts in whole seconds, which their IDs do not. */
export const skewMs = (platform: Platform): number => (platform === "x" ? 1_000 : 0);

/** Where the posts end that may follow a position: exclusive, Unix milliseconds. */
export const lastOf = (after: SourceRequest["after"], platform: Platform): number =>
  after === null ? Number.MAX_SAFE_INTEGER : idTimeMs(after.id) + skewMs(platform) + 1;

function startOf({ fromMs }: Coverage, searched: readonly SearchedPlatform[]): number | null {
  if (fromMs === null) return null;
  const starts = searched.flatMap(({ sinceMs }) =>
    sinceMs !== null && sinceMs - fromMs <= liveToleranceMs ? [sinceMs] : [],
  );
  return Math.max(fromMs, ...starts);
}
