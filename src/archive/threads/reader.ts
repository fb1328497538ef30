import type { PlanNode, QueryNames, ResolvedNames } from "@earshot/query/plan";
import type { Clock } from "../../lib/clock.ts";
import { runToEnd } from "../../lib/run-to-end.ts";
import type { Platform } from "../../posts/post.ts";
import type {
  ArchiveStats,
  CountAnswer,
  CountRequest,
  CoveredAnswer,
  FetchedName,
  IdentifiedPost,
  IngestedPost,
  NamedAccount,
  NamedPosition,
  PlatformCoverage,
  Position,
  SearchRequest,
  StoredPage,
  StoredRecords,
  UnknownPost,
} from "../archive.ts";
import { accountsNamed, openCatalogAccounts } from "../catalog/accounts.ts";
import {
  accountCoverage,
  catalogPath,
  readCheckpoint,
  readCoverage,
  readUriKey,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { openMisplacedPosts } from "../catalog/misplaced.ts";
import { createWithheldCheck, openCatalogLabels } from "../catalog/moderation.ts";
import { openForReading } from "../database.ts";
import { memoryShares } from "../memory-shares.ts";
import { countSegments } from "../read/count.ts";
import { createCountCache } from "../read/count-cache.ts";
import { readIngestOrder } from "../read/ingest-order.ts";
import {
  jsonPageRenderer,
  RecordCache,
  type RecordVersion,
  type RenderedPage,
} from "../read/rendered-pages.ts";
import { authorsCoverage, nameResolver, withAuthorCoverage } from "../read/resolve-names.ts";
import { type SearchContext, searchSegments } from "../read/search.ts";
import { readStats } from "../read/stats.ts";
import { findSegment, pagePositions, rowRenderer, storedRows } from "../read/stored-rows.ts";
import { createSealedCaches, type SealedCaches } from "../segments/sealed-index-reader.ts";
import { archiveDefaults } from "../settings.ts";
import { aliasesBelow } from "../write/aliases.ts";
import { identifyPosts } from "../write/identify.ts";
import { owner } from "../write/placement.ts";
import { catalogStateReader, openSegmentsIn } from "./open-segments.ts";

const defaultShares = memoryShares(archiveDefaults.memoryBytes, 2);

export type ReaderOperations = {
  search(request: SearchRequest): CoveredAnswer;
  count(request: CountRequest): CountAnswer;
  records(positions: readonly Position[]): StoredRecords;
  page(positions: readonly Position[]): StoredPage;
  withheld(names: readonly FetchedName[]): boolean[];
  resolve(names: QueryNames): ResolvedNames;
  identify(posts: readonly UnknownPost[]): IdentifiedPost[];
  ingestOrder(request: { after: IngestedPost | null; limit: number }): IngestedPost[];
  accountsToLookUp(request: { platform: Platform; beforeMs: number; limit: number }): string[];
  accountsNamed(name: string): NamedAccount[];
  aliases(request: { platform: Platform; below: bigint | null; limit: number }): NamedPosition[];
  readCheckpoint(name: string): string | null;
  coverage(): PlatformCoverage[];
  stats(request: { maxBytes: number }): ArchiveStats;
};

type ReaderSlice = {
  clock: Pick<Clock, "now" | "elapsed">;
  isSliceOver(): boolean;
  isStopped?(): boolean;
};

export type ReaderSteps = {
  [Name in "search" | "count" | "stats" | "resolve"]: (
    request: Parameters<ReaderOperations[Name]>[0],
    slice: ReaderSlice,
  ) => Generator<void, ReturnType<ReaderOperations[Name]>>;
};

export type Reader = {
  operations: ReaderOperations;
  steps: ReaderSteps;
  jsonPage(positions: readonly Position[], isOver: () => boolean): RenderedPage | null;
  close(): void;
};

export function createReader(
  folder: string,
  cacheKib: number,
  clock: Pick<Clock, "now" | "elapsed">,
  caches: SealedCaches = createSealedCaches(),
  recordCache: RecordCache = new RecordCache(defaultShares.records),
): Reader {
  const catalog = openForReading(catalogPath(folder), 1_000);
  const openSegments = openSegmentsIn(folder, cacheKib, caches);
  const { open } = openSegments;
  const currentState = catalogStateReader(catalog, folder, openSegments.closeRemoved);
  const uriKey = (): string => readUriKey(catalog);
  const countCache = createCountCache();
  const accounts = openCatalogAccounts(catalog);
  const misplacedPosts = openMisplacedPosts(catalog);
  const coverageOf = accountCoverage(catalog);
  const currentSegments = (): SegmentEntry[] => currentState().segments;
  const { readRows, findCurrentIds } = storedRows({
    currentSegments,
    open,
    uriKey,
  });
  const positions = pagePositions({ open, uriKey });
  const resolveNames = nameResolver(catalog, readRows);
  const renderer = rowRenderer(catalog, accounts);
  const jsonPage = jsonPageRenderer({ cache: recordCache, currentVersions, readRows, renderer });
  const readAliases = aliasesBelow(catalog, (platform, id) => {
    const entries = currentState().segments.filter((entry) => entry.platform === platform);
    if (entries.length === 0) return false;
    const entry = owner(entries, id);
    return open(entry).lookup.has(id) || findCurrentIds(entry, [id]).size > 0;
  });

  /** Adds the coverage, which is read first because it must not be newer than the segments. */
  function* withCoverage<Answer>(
    plan: PlanNode,
    answer: (segments: SegmentEntry[]) => Generator<void, Answer>,
  ): Generator<void, Answer & { coverage: readonly PlatformCoverage[] }> {
    const authorCoverage = authorsCoverage(coverageOf, plan);
    const { segments, coverage } = currentState();
    return { ...(yield* answer(segments)), coverage: withAuthorCoverage(coverage, authorCoverage) };
  }

  function currentVersions(): (position: Position) => RecordVersion | null {
    const { version: catalogVersion, segments } = currentState();
    const versions = new Map<SegmentEntry, RecordVersion>();
    return (position) => {
      const entry = findSegment(position, segments);
      if (entry === undefined) return null;
      const known = versions.get(entry);
      if (known !== undefined) return known;
      const { lastWrittenInCommit } = entry;
      const path = segmentPath(folder, entry);
      const version = { path, lastWrittenInCommit, catalog: catalogVersion };
      versions.set(entry, version);
      return version;
    };
  }

  const makeContext = (slice: ReaderSlice): SearchContext => ({
    ...slice,
    open,
    isStopped: () => slice.isStopped?.() ?? false,
  });

  const steps: ReaderSteps = {
    search: (request, slice) =>
      withCoverage(request.plan, function* (segments) {
        const context = makeContext(slice);
        const start = positions.startAfter(request.after, segments);
        const answer = yield* searchSegments(request, segments, { ...context, ...start });
        return { ...answer, next: positions.withHash(answer.next, segments) };
      }),
    count: (request, slice) =>
      withCoverage(request.plan, (segments) =>
        countSegments(request, segments, makeContext(slice), countCache),
      ),
    stats: ({ maxBytes }, slice) => readStats(catalog, folder, maxBytes, slice.isSliceOver),
    resolve: (names, { isSliceOver }) => resolveNames(names, isSliceOver),
  };
  const unlimitedSlice: ReaderSlice = { clock, isSliceOver: () => false };

  return {
    steps,
    jsonPage,
    operations: {
      search: (request) => runToEnd(steps.search(request, unlimitedSlice)),
      count: (request) => runToEnd(steps.count(request, unlimitedSlice)),
      records: (requestedPositions) => {
        const { rows, damage } = readRows(requestedPositions);
        const render = renderer();
        return { records: rows.map((row) => render(row).text), damage };
      },
      page: (requestedPositions) => {
        const { body, damage } = jsonPage(requestedPositions, () => false) as RenderedPage;
        return { body, damage };
      },
      withheld: createWithheldCheck(catalog, accounts, openCatalogLabels(catalog)),
      resolve: (names) => runToEnd(steps.resolve(names, unlimitedSlice)),
      identify: (posts) =>
        identifyPosts(
          {
            uriKey: uriKey(),
            segments: currentState().segments,
            openLookup: (entry) => open(entry).lookup,
            misplacedPosts,
          },
          posts,
        ),
      ingestOrder: ({ after, limit }) =>
        readIngestOrder(catalog, currentState().segments, open, after, limit),
      accountsToLookUp: ({ platform, beforeMs, limit }) =>
        accounts.dueForLookUp(platform, beforeMs, limit),
      accountsNamed: accountsNamed(catalog, accounts),
      aliases: ({ platform, below, limit }) => readAliases(platform, below, limit),
      readCheckpoint: (name) => readCheckpoint(catalog, name),
      coverage: () => readCoverage(catalog),
      stats: (request) => runToEnd(steps.stats(request, unlimitedSlice)),
    },
    close: () => {
      openSegments.closeAll();
      catalog.close();
    },
  };
}
