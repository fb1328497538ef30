import type { Position } from "../archive/archive.ts";
import { type AnswerItem, isFetched } from "../platforms/source.ts";
import type { Platform } from "../posts/post.ts";
import type { Job, JobChange, JobResult, JobState, JobSummary, SearchJobRequest } from "./job.ts";
import type { JobSnapshot } from "./reads/visible-change.ts";
import type { EvidenceKind } from "./result-signature.ts";
import { shownState } from "./states.ts";

export type JobRow = {
  uuid: string;
  accountId: string;
  keyId: string;
  request: string;
  canonicalQuery: string;
  warnings: string;
  state: JobState;
  attempts: number;
  node: string | null;
  notBeforeMs: number;
  submittedMs: number;
  deadlineMs: number;
  startedMs: number | null;
  finishedMs: number | null;
  expiresMs: number | null;
  result: string | null;
  failure: string | null;
};

export const headColumns = `uuid, account_id AS accountId, key_id AS keyId, request, canonical_query AS canonicalQuery,
  warnings, state, attempts, node, not_before_ms AS notBeforeMs, submitted_ms AS submittedMs,
  deadline_ms AS deadlineMs, started_ms AS startedMs, finished_ms AS finishedMs, expires_ms AS expiresMs, failure`;

export const rowColumns = `${headColumns}, result`;

export type JobHead = Omit<JobRow, "result">;

export type ListedRow = JobHead & {
  count: number | null;
  complete: number | string | null;
  evidence: EvidenceKind | null;
  sources: string | null;
};

export const listedColumns = `${headColumns}, json_array_length(result, '$.positions') AS count,
  result ->> '$.complete' AS complete, result ->> '$.signature.evidence' AS evidence,
  result ->> '$.sources' AS sources`;

type StoredPosition = [platform: Platform, id: string];
/** Positions from earlier releases have no hash. */
type StoredPagePosition = StoredPosition | [platform: Platform, id: string, uriHash: string];

type StoredItem =
  | StoredPosition
  | [
      platform: Platform,
      id: string | null,
      uri: string | null,
      userId: string | null,
      record: string,
    ];

/**
 * `place` is the fetch position, `asked` the requested bounds, and `isKeptHere` means local-only:
 * earlier versions of the gateway read these names. Rows from before `within_time:` have no
 * `asOfMs`; the submission time is used.
 */
type StoredRequest = Omit<SearchJobRequest, "after" | "asOfMs" | RenamedInRequest> & {
  after: StoredPagePosition | null;
  asOfMs?: number;
  place?: SearchJobRequest["position"];
  asked?: SearchJobRequest["requestedBounds"];
  isKeptHere?: SearchJobRequest["isLocalOnly"];
};
type RenamedInRequest = "position" | "requestedBounds" | "isLocalOnly";

type StoredResult = Omit<JobResult, "items" | "next" | "nextPosition"> & {
  positions: StoredItem[];
  next: StoredPagePosition | null;
  nextPlace?: JobResult["nextPosition"];
};
type StoredHead = Omit<StoredResult, "positions">;

export function encodeRequest(request: SearchJobRequest): string {
  const { after, position, requestedBounds, isLocalOnly, ...rest } = request;
  const stored: StoredRequest = {
    ...rest,
    after: after && packPosition(after),
    ...(position === undefined ? {} : { place: position }),
    ...(requestedBounds === undefined ? {} : { asked: requestedBounds }),
    ...(isLocalOnly === undefined ? {} : { isKeptHere: isLocalOnly }),
  };
  return JSON.stringify(stored);
}

function decodeRequest({ request, submittedMs }: JobHead): SearchJobRequest {
  const { after, place, asked, isKeptHere, ...rest }: StoredRequest = JSON.parse(request);
  return {
    asOfMs: submittedMs,
    ...rest,
    after: after && unpackPosition(after),
    ...(place === undefined ? {} : { position: place }),
    ...(asked === undefined ? {} : { requestedBounds: asked }),
    ...(isKeptHere === undefined ? {} : { isLocalOnly: isKeptHere }),
  };
}

export function encodeResult(result: JobResult): string {
  return joinResult(encodeResultParts(result));
}

export type ResultParts = { head: string; positions: string };

export const encodeResultParts = (result: JobResult): ResultParts => ({
  head: headText(result),
  positions: `[${result.items.map(itemText).join(",")}]`,
});

export const joinResult = ({ head, positions }: ResultParts): string =>
  `${head.slice(0, -1)},"positions":${positions}}`;

/** Decodes items when they are first read, because most answers are sent undecoded. */
export function decodeResultParts({ head, positions }: ResultParts): JobResult {
  const decodedHead = decodeHead(JSON.parse(head));
  let items: readonly AnswerItem[] | null = null;
  return {
    ...decodedHead,
    get items() {
      items ??= (JSON.parse(positions) as StoredItem[]).map(unpackItem);
      return items;
    },
  };
}

export async function encodeLargeResult(
  result: JobResult,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<string> {
  const items: string[] = [];
  for (const item of result.items) {
    items.push(itemText(item));
    await yieldIfDue();
  }
  return joinResult({ head: headText(result), positions: `[${items.join(",")}]` });
}

/** Above this length, encoding takes several milliseconds. */
const largeLength = 1_048_576;

export function isLarge({ items }: JobResult): boolean {
  const length = items.reduce((sum, item) => sum + (isFetched(item) ? item.record.length : 0), 0);
  return length > largeLength;
}

const itemText = (item: AnswerItem): string => JSON.stringify(packItem(item));

function headText({ items: _items, next, nextPosition, ...rest }: JobResult): string {
  const head: StoredHead = {
    ...rest,
    next: next && packPosition(next),
    ...(nextPosition === undefined ? {} : { nextPlace: nextPosition }),
  };
  return JSON.stringify(head);
}

function decodeHead({ next, nextPlace, ...rest }: StoredHead): Omit<JobResult, "items"> {
  return {
    ...rest,
    next: next && unpackPosition(next),
    ...(nextPlace === undefined ? {} : { nextPosition: nextPlace }),
  };
}

function decodeResult(text: string): JobResult {
  const { positions, ...head }: StoredResult = JSON.parse(text);
  return { ...decodeHead(head), items: positions.map(unpackItem) };
}

export function storedPosts(result: string, id: bigint): { platform: Platform; uri: string }[] {
  return decodeResult(result).items.flatMap((item) =>
    isFetched(item) && item.id === id && item.uri !== null
      ? [{ platform: item.platform, uri: item.uri }]
      : [],
  );
}

export function jobFromRow(row: JobRow, nowMs: number): Job {
  const job = rowHead(row, nowMs);
  const result = job.state === "done" && row.result !== null ? decodeResult(row.result) : null;
  return { ...job, result };
}

export function resultlessJobFromRow(row: JobHead, nowMs: number): Job {
  return { ...rowHead(row, nowMs), result: null };
}

export function summaryFromRow(
  { count, complete, evidence, sources, ...head }: ListedRow,
  nowMs: number,
): JobSummary {
  const summary = rowHead(head, nowMs);
  const isStored = summary.state === "done" && complete !== null;
  return {
    ...summary,
    count: isStored ? count : null,
    complete: isStored ? Number(complete) === 1 : null,
    evidence: isStored ? (evidence ?? "none") : null,
    microUsd: isStored && sources !== null ? getCost(JSON.parse(sources)) : null,
  };
}

function getCost(sources: JobResult["sources"]): number | null {
  const costs = sources.flatMap(({ cost }) => (cost === undefined ? [] : [cost.microUsd]));
  return costs.length === 0 ? null : costs.reduce((sum, value) => sum + value);
}

export function jobAfter(
  job: Job,
  snapshot: JobSnapshot,
  result: JobResult | null,
  nowMs: number,
): Job {
  return {
    ...job,
    state: shownState(snapshot, nowMs),
    attempts: snapshot.attempts,
    deadlineMs: snapshot.deadlineMs,
    startedMs: snapshot.startedMs,
    finishedMs: snapshot.finishedMs,
    expiresMs: snapshot.expiresMs,
    node: snapshot.node,
    result,
    failure: snapshot.failure === null ? null : JSON.parse(snapshot.failure),
  };
}

export function changeFromSnapshot(snapshot: JobSnapshot, nowMs: number): JobChange {
  const { change, uuid, attempts, changedMs } = snapshot;
  return { id: change, uuid, state: shownState(snapshot, nowMs), attempts, atMs: changedMs };
}

function rowHead(row: JobHead, nowMs: number): Omit<Job, "result"> {
  return {
    uuid: row.uuid,
    accountId: row.accountId,
    keyId: row.keyId,
    state: shownState(row, nowMs),
    request: decodeRequest(row),
    canonicalQuery: row.canonicalQuery,
    attempts: row.attempts,
    submittedMs: row.submittedMs,
    deadlineMs: row.deadlineMs,
    startedMs: row.startedMs,
    finishedMs: row.finishedMs,
    expiresMs: row.expiresMs,
    node: row.node,
    failure: row.failure === null ? null : JSON.parse(row.failure),
    warnings: JSON.parse(row.warnings),
  };
}

function packItem(item: AnswerItem): StoredItem {
  if (!isFetched(item)) return pack(item);
  const { platform, id, uri, userId, record } = item;
  return [platform, id === null ? null : id.toString(), uri, userId, record];
}

function unpackItem(stored: StoredItem): AnswerItem {
  if (stored.length === 2) return unpack(stored);
  const [platform, id, uri, userId, record] = stored;
  return { platform, id: id === null ? null : BigInt(id), uri, userId, record };
}

function pack({ platform, id }: Position): StoredPosition {
  return [platform, id.toString()];
}

function packPosition({ platform, id, uriHash }: Position): StoredPagePosition {
  return uriHash === undefined ? [platform, id.toString()] : [platform, id.toString(), uriHash];
}

function unpackPosition([platform, id, uriHash]: StoredPagePosition): Position {
  return { platform, id: BigInt(id), ...(uriHash === undefined ? {} : { uriHash }) };
}

function unpack([platform, id]: StoredPosition): Position {
  return { platform, id: BigInt(id) };
}
