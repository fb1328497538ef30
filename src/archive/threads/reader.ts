import type { PlanNode, QueryNames, ResolvedNames } from "@earshot/query/plan";
import type { Clock } from "../../lib/clock.ts";
import { lastOf } from "../../lib/last-of.ts";
import { hasTime, uriHash } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { type KnownAccount, type RecordRow, recordUri, renderRecord } from "../../posts/record.ts";
import { blueskyUri, postKey, readNamedPost } from "../../posts/references.ts";
import type {
  ArchiveStats,
  CountAnswer,
  CountRequest,
  CoveredAnswer,
  Damage,
  FetchedName,
  Identified,
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
import { accountsOf } from "../catalog/accounts.ts";
import { accountsNamed } from "../catalog/accounts-by-handle.ts";
import {
  accountIds,
  catalogPath,
  coverageOfAccount,
  presentHandle,
  readCheckpoint,
  readCoverage,
  readCoverageOfAll,
  readSegments,
  readUriKey,
  resolveAccount,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { damageOf } from "../catalog/damage.ts";
import { labelsOf } from "../catalog/labels.ts";
import { misplacedPostsOf } from "../catalog/misplaced.ts";
import { requireKnownAnalyzers } from "../catalog/open-catalog.ts";
import { byOtherIds } from "../catalog/other-ids.ts";
import { withheldOf } from "../catalog/withheld.ts";
import { onSnapshot, openForReading } from "../database.ts";
import { memoryShares, segmentCache } from "../memory-shares.ts";
import { countSegments } from "../read/count.ts";
import { createCountCache } from "../read/count-cache.ts";
import { coverageOfAuthors, withAuthors } from "../read/coverage-of-authors.ts";
import { readIngestOrder } from "../read/ingest-order.ts";
import { jsonPages, type ReadPage, type RenderRow } from "../read/json-pages.ts";
import { type PageStart, pageStart } from "../read/page-start.ts";
import { RecordCache, type RecordVersion } from "../read/record-cache.ts";
import { comparePositions, type SearchSurroundings, searchSegments } from "../read/search.ts";
import { readStats } from "../read/stats.ts";
import { isDamage } from "../sealed/damage.ts";
import { single } from "../segments/damaged-ids.ts";
import type { RowsRead } from "../segments/read-rows.ts";
import { createSealedMemory, type SealedMemory } from "../segments/sealed-part.ts";
import { openSegment, type Segment } from "../segments/segment.ts";
import { unreadableSegment } from "../segments/unreadable-segment.ts";
import { archiveDefaults } from "../settings.ts";
import { aliasesBelow } from "../write/aliases.ts";
import { identifyPosts } from "../write/identify.ts";
import { owner } from "../write/placement.ts";

const defaultShares = memoryShares(archiveDefaults.memoryBytes, 2);

const openSegments = 64;

type CatalogState = { version: unknown; segments: SegmentEntry[]; coverage: PlatformCoverage[] };

export type ReaderOperations = {
  search(request: SearchRequest): CoveredAnswer;
  count(request: CountRequest): CountAnswer;
  records(positions: readonly Position[]): StoredRecords;
  page(positions: readonly Position[]): StoredPage;
  withheld(names: readonly FetchedName[]): boolean[];
  resolve(names: QueryNames): ResolvedNames;
  identify(posts: readonly UnknownPost[]): Identified[];
  ingestOrder(request: { after: IngestedPost | null; limit: number }): IngestedPost[];
  accountsToLookUp(request: { platform: Platform; beforeMs: number; limit: number }): string[];
  accountsNamed(name: string): NamedAccount[];
  aliases(request: { platform: Platform; below: bigint | null; limit: number }): NamedPosition[];
  readCheckpoint(name: string): string | null;
  coverage(): PlatformCoverage[];
  stats(request: { maxBytes: number }): ArchiveStats;
};

type ReaderTurn = {
  clock: Pick<Clock, "now" | "elapsed">;
  isSliceOver(): boolean;
  isStopped?(): boolean;
};

export type ReaderSteps = {
  [Name in "search" | "count" | "stats" | "resolve"]: (
    request: Parameters<ReaderOperations[Name]>[0],
    turn: ReaderTurn,
  ) => Generator<void, ReturnType<ReaderOperations[Name]>>;
};

export type Reader = {
  operations: ReaderOperations;
  steps: ReaderSteps;
  /** Null if `isOver` before it is complete. */
  jsonPage(positions: readonly Position[], isOver: () => boolean): ReadPage | null;
  close(): void;
};

/** Each call sees the last commit. */
export function createReader(
  folder: string,
  cacheKib: number,
  clock: Pick<Clock, "now" | "elapsed">,
  memory: SealedMemory = createSealedMemory(),
  recordCache: RecordCache = new RecordCache(defaultShares.records),
): Reader {
  const catalog = openForReading(catalogPath(folder), 1_000);
  const version = catalog.prepare("PRAGMA data_version");
  const opened = new Map<string, Segment>();
  let segmentCacheKib = segmentCache(cacheKib, 1);
  const counted = createCountCache();
  const accounts = accountsOf(catalog);
  const withheld = withheldOf(catalog, accounts, labelsOf(catalog));
  const strayed = misplacedPostsOf(catalog);
  const readAliases = aliasesBelow(catalog, (platform, id) => {
    const entries = current().segments.filter((entry) => entry.platform === platform);
    if (entries.length === 0) return false;
    const entry = owner(entries, id);
    return open(entry).lookup.holds(id) || othersOf(entry, [id]).size > 0;
  });
  const coverageOf = coverageOfAccount(catalog);
  const handleOf = presentHandle(catalog);
  let known: CatalogState | null = null;

  /** Read again after any process has changed the catalog. */
  function current(): CatalogState {
    const now = version.get()?.data_version;
    if (known === null || known.version !== now) {
      // One snapshot: coverage must not be newer than the segments.
      known = onSnapshot(catalog, () => {
        const segments = readSegments(catalog);
        requireKnownAnalyzers(segments, folder);
        return { version: now, segments, coverage: readCoverageOfAll(catalog) };
      });
      closeRemoved(known.segments);
    }
    return known;
  }

  function closeRemoved(segments: readonly SegmentEntry[]): void {
    const present = new Set(segments.map((entry) => segmentPath(folder, entry)));
    for (const [path, segment] of opened) {
      if (present.has(path)) continue;
      segment.close();
      opened.delete(path);
    }
    shareCache();
  }

  /** With the coverage read before, for the same reason. */
  function* covered<Answer>(
    plan: PlanNode,
    answer: (segments: SegmentEntry[]) => Generator<void, Answer>,
  ): Generator<void, Answer & { coverage: readonly PlatformCoverage[] }> {
    const ofAuthors = coverageOfAuthors(coverageOf, plan);
    const { segments, coverage } = current();
    return { ...(yield* answer(segments)), coverage: withAuthors(coverage, ofAuthors) };
  }

  function open(entry: SegmentEntry): Segment {
    const path = segmentPath(folder, entry);
    const known = opened.get(path);
    const segment = known ?? openReadable(path, entry.platform);
    opened.delete(path);
    opened.set(path, segment);
    if (known !== undefined) return segment;
    const [oldest] = opened.keys();
    if (opened.size > openSegments && oldest !== undefined) {
      opened.get(oldest)?.close();
      opened.delete(oldest);
    }
    shareCache();
    return segment;
  }

  function shareCache(): void {
    const kib = segmentCache(cacheKib, opened.size);
    if (kib === segmentCacheKib) return;
    segmentCacheKib = kib;
    for (const segment of opened.values()) segment.resizeCache(kib);
  }

  /** A damaged file must not keep the others from answering. */
  function openReadable(path: string, platform: Platform): Segment {
    try {
      return openSegment(path, platform, segmentCacheKib, memory);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return unreadableSegment(path);
    }
  }

  function records(positions: readonly Position[]): StoredRecords {
    const { rows, damage } = rowsOf(positions);
    const render = renderer();
    return { records: rows.map((row) => render(row).text), damage };
  }

  function renderer(): RenderRow {
    const accountsRead = new Map<string, KnownAccount>();
    return (row) => {
      let isOfRow = true;
      const text = renderRecord(row, (userId) => {
        isOfRow = false;
        const key = `${row.platform} ${userId}`;
        const account = accountsRead.get(key) ?? readAccount(row.platform, userId.toLowerCase());
        accountsRead.set(key, account);
        return account;
      });
      return { text, isOfRow };
    };
  }

  const readAccount = (platform: Platform, userId: string): KnownAccount => ({
    handle: handleOf(platform, userId),
    name: accounts.read(platform, userId)?.name ?? null,
  });

  const jsonPage = jsonPages({
    cache: recordCache,
    currentVersions,
    rowsOf,
    renderer,
  });

  function currentVersions(): (position: Position) => RecordVersion | null {
    const { version: catalogVersion, segments } = current();
    const versions = new Map<SegmentEntry, RecordVersion>();
    return (position) => {
      const entry = segmentOf(position, segments);
      if (entry === undefined) return null;
      const known = versions.get(entry);
      if (known !== undefined) return known;
      const { writtenIn } = entry;
      const path = segmentPath(folder, entry);
      const found = { path, writtenIn, catalog: catalogVersion };
      versions.set(entry, found);
      return found;
    };
  }

  /** One statement per segment; without deleted posts. */
  function rowsOf(positions: readonly Position[]): { rows: RecordRow[]; damage: Damage[] } {
    const { segments } = current();
    const bySegment = Map.groupBy(positions, ({ id, platform }) =>
      segmentOf({ platform, id }, segments),
    );
    const rows: RecordRow[] = [];
    const damage: Damage[] = [];
    for (const [entry, own] of bySegment) {
      if (entry === undefined) continue;
      const read = rowsIn(
        entry,
        own.map(({ id }) => id),
      );
      rows.push(...read.rows);
      damage.push(...damageOf(entry, read.damaged.map(single)));
    }
    return { rows: bySegment.size > 1 ? rows.sort(comparePositions) : rows, damage };
  }

  function rowsIn(entry: SegmentEntry, ids: readonly bigint[]): RowsRead {
    const segment = open(entry);
    const read = segment.rows(ids);
    const known = new Set([...read.rows.map(({ id }) => id), ...read.damaged]);
    const others = othersOf(
      entry,
      ids.filter((id) => !known.has(id)),
    );
    if (others.size === 0) return read;
    const more = new Map(
      segment.rows([...new Set(others.values())]).rows.map((row) => [row.id, row]),
    );
    const byId = new Map(read.rows.map((row) => [row.id, row]));
    const rows = ids.flatMap((id) => {
      const row = byId.get(id) ?? more.get(others.get(id) ?? id);
      return row === undefined ? [] : [{ ...row, id }];
    });
    return { rows, damaged: read.damaged };
  }

  function othersOf(
    { platform, ...entry }: SegmentEntry,
    ids: readonly bigint[],
  ): ReadonlyMap<bigint, bigint> {
    const sought = platform === "x" ? ids.filter(hasTime) : ids;
    if (sought.length === 0) return new Map();
    try {
      return byOtherIds(open({ platform, ...entry }).lookup, readUriKey(catalog), sought);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return new Map();
    }
  }

  function startAfter(
    after: Position | null,
    segments: readonly SegmentEntry[],
  ): { start?: PageStart } {
    const entry = after && segmentOf(after, segments);
    if (!entry) return {};
    try {
      return { start: pageStart(after, entry, open(entry).lookup, readUriKey(catalog)) };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return {};
    }
  }

  function withHash(position: Position | null, segments: readonly SegmentEntry[]): Position | null {
    const entry = position && segmentOf(position, segments);
    if (!entry || entry.platform === "x") return position;
    try {
      const uri = open(entry).lookup.findById(position.id)?.uri ?? "";
      return uri === "" ? position : { ...position, uriHash: uriHash(uri) };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return position;
    }
  }

  /**
   * A number is an X post's own ID or any stored post's; a handle is any account that ever had it.
   */
  function resolvePost(written: string): string[] {
    const { number, keys, bluesky } = readNamedPost(written);
    const stored =
      number === null
        ? []
        : rowsOf(platforms.map((platform) => ({ id: number, platform }))).rows.map((row) =>
            postKey(row.platform, { id: null, uri: recordUri(row) }),
          );
    const addressed =
      bluesky === null
        ? []
        : accountIds(catalog, "bluesky", bluesky.handle).map((did) =>
            postKey("bluesky", { id: null, uri: blueskyUri(did, bluesky.key) }),
          );
    return [...new Set([...keys, ...stored, ...addressed])].filter((key) => key !== null);
  }

  const surroundings = (turn: ReaderTurn): SearchSurroundings => ({
    ...turn,
    open,
    isStopped: () => turn.isStopped?.() ?? false,
  });

  const steps: ReaderSteps = {
    search: (request, turn) =>
      covered(request.plan, function* (segments) {
        const around = surroundings(turn);
        const start = startAfter(request.after, segments);
        const answer = yield* searchSegments(request, segments, { ...around, ...start });
        return { ...answer, next: withHash(answer.next, segments) };
      }),
    count: (request, turn) =>
      covered(request.plan, (segments) =>
        countSegments(request, segments, surroundings(turn), counted),
      ),
    stats: ({ maxBytes }, turn) => readStats(catalog, folder, maxBytes, turn.isSliceOver),
    *resolve(names, { isSliceOver }) {
      const resolved = {
        accounts: new Map<string, string[]>(),
        posts: new Map<string, string[]>(),
      };
      for (const name of names.accounts) {
        resolved.accounts.set(name, resolveAccount(catalog, name));
        if (isSliceOver()) yield;
      }
      for (const name of names.posts) {
        resolved.posts.set(name, resolvePost(name));
        if (isSliceOver()) yield;
      }
      return resolved;
    },
  };
  const wholeTurn: ReaderTurn = { clock, isSliceOver: () => false };

  return {
    steps,
    jsonPage,
    operations: {
      search: (request) => lastOf(steps.search(request, wholeTurn)),
      count: (request) => lastOf(steps.count(request, wholeTurn)),
      records,
      page: (positions) => {
        const { body, damage } = jsonPage(positions, () => false) as ReadPage;
        return { body, damage };
      },
      withheld,
      resolve: (names) => lastOf(steps.resolve(names, wholeTurn)),
      identify: (posts) =>
        identifyPosts(
          {
            uriKey: readUriKey(catalog),
            segments: current().segments,
            lookupOf: (entry) => open(entry).lookup,
            strayed,
          },
          posts,
        ),
      ingestOrder: ({ after, limit }) =>
        readIngestOrder(catalog, current().segments, open, after, limit),
      accountsToLookUp: ({ platform, beforeMs, limit }) =>
        accounts.toLookUp(platform, beforeMs, limit),
      accountsNamed: accountsNamed(catalog, accounts),
      aliases: ({ platform, below, limit }) => readAliases(platform, below, limit),
      readCheckpoint: (name) => readCheckpoint(catalog, name),
      coverage: () => readCoverage(catalog),
      stats: (request) => lastOf(steps.stats(request, wholeTurn)),
    },
    close: () => {
      for (const segment of opened.values()) segment.close();
      catalog.close();
    },
  };
}

const segmentOf = (
  { platform, id }: Position,
  segments: readonly SegmentEntry[],
): SegmentEntry | undefined =>
  segments.findLast((entry) => entry.platform === platform && entry.low <= id);
