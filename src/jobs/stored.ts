import type { Position } from "../archive/archive.ts";
import type { Platform } from "../posts/post.ts";
import type { Job, JobResult, JobState, SearchJobRequest } from "./job.ts";
import { shownState } from "./states.ts";

/** A job as its row holds it; what has a shape of its own is JSON, with ids as text. */
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

type StoredPosition = [platform: Platform, id: string];

type StoredRequest = Omit<SearchJobRequest, "after"> & { after: StoredPosition | null };

type StoredResult = Omit<JobResult, "positions" | "next"> & {
  positions: StoredPosition[];
  next: StoredPosition | null;
};

export function encodeRequest(request: SearchJobRequest): string {
  const stored: StoredRequest = { ...request, after: request.after && pack(request.after) };
  return JSON.stringify(stored);
}

export function decodeRequest(text: string): SearchJobRequest {
  const stored: StoredRequest = JSON.parse(text);
  return { ...stored, after: stored.after && unpack(stored.after) };
}

export function encodeResult(result: JobResult): string {
  const stored: StoredResult = {
    ...result,
    positions: result.positions.map(pack),
    next: result.next && pack(result.next),
  };
  return JSON.stringify(stored);
}

function decodeResult(text: string): JobResult {
  const stored: StoredResult = JSON.parse(text);
  return {
    ...stored,
    positions: stored.positions.map(unpack),
    next: stored.next && unpack(stored.next),
  };
}

/** The job of a row as a caller sees it now: without its result once that has expired. */
export function jobOf(row: JobRow, nowMs: number): Job {
  const state = shownState(row, nowMs);
  return {
    uuid: row.uuid,
    accountId: row.accountId,
    keyId: row.keyId,
    state,
    request: decodeRequest(row.request),
    canonicalQuery: row.canonicalQuery,
    attempts: row.attempts,
    submittedMs: row.submittedMs,
    deadlineMs: row.deadlineMs,
    startedMs: row.startedMs,
    finishedMs: row.finishedMs,
    expiresMs: row.expiresMs,
    node: row.node,
    result: state === "done" && row.result !== null ? decodeResult(row.result) : null,
    failure: row.failure === null ? null : JSON.parse(row.failure),
    warnings: JSON.parse(row.warnings),
  };
}

function pack({ platform, id }: Position): StoredPosition {
  return [platform, id.toString()];
}

function unpack([platform, id]: StoredPosition): Position {
  return { platform, id: BigInt(id) };
}
