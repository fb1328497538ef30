import { durable } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { timeAfter } from "../../lib/clock.ts";
import type { JsonPage } from "../../lib/json-page.ts";
import { isFetched } from "../../platforms/source.ts";
import type { ShortAnswer, ShortSearch } from "../../search/archive-answer.ts";
import { withUnsearchedSpan } from "../../search/merge/damage.ts";
import { usableCredentials } from "../../upstream/credentials/rows.ts";
import type { JobResult, SearchJobRequest } from "../job.ts";
import { encodeRequest, encodeResultParts, joinResult, type ResultParts } from "../stored.ts";
import {
  type EarlierSubmission,
  type InsertedChange,
  type InsertedJob,
  type JobInsertion,
  submissionOperations,
} from "./submission-operations.ts";

export type SearchSubmission = {
  row: Omit<JobInsertion, "request" | "answer">;
  search: ShortSearch & { request: SearchJobRequest };
  node: string;
  startedMs: number;
  resultRetentionMs: number;
};

/**
 * `unavailable`: no answerer is registered; `busy`: the batch has no time left; `slow`: the search
 * took too long; `declined`: it failed, or only a node can answer it.
 */
export type UnansweredReason = "unavailable" | "busy" | "slow" | "declined";

/** `unanswered`: the job was not inserted. `body` is null if the page was not rendered. */
export type SubmittedSearch =
  | { kind: "unanswered"; reason: UnansweredReason }
  | { kind: "repeated"; earlier: EarlierSubmission }
  | ({ kind: "done" } & InsertedChange & ResultParts & Page & SearchTimes);

/** At the top level of a reply, so that `body` is transferred between threads instead of copied. */
type Page = JsonPage | { body: null; lengths: null };

type SearchTimes = { startedMs: number; finishedMs: number; expiresMs: number };

export type SearchAnswerer = (
  search: ShortSearch,
  nowMs: number,
) => (ShortAnswer & { tookMs: number }) | Exclude<UnansweredReason, "unavailable">;

const answerers = new WeakMap<Database, SearchAnswerer>();

export function registerSearchAnswerer(database: Database, answerer: SearchAnswerer): void {
  answerers.set(database, answerer);
}

export const searchOperations = {
  /** Errors: those of `insertJob`. */
  submitSearch: durable(function* (database, submission: SearchSubmission): Steps<SubmittedSearch> {
    if (yield* hasRequestablePlatform(database, submission))
      return { kind: "unanswered", reason: "declined" };
    const answeredSearch = answerSubmission(database, submission);
    if (answeredSearch.kind === "unanswered") return answeredSearch;
    return submittedSearch(
      answeredSearch,
      yield* submissionOperations.insertJob.run(database, answeredSearch.job),
    );
  }),
};

export function* hasRequestablePlatform(
  database: Database,
  { row, search }: SearchSubmission,
): Steps<boolean> {
  const { requestableWithCredential: platforms } = search.context;
  if (platforms.length === 0) return false;
  return (yield* usableCredentials(database, platforms, row.accountId)).length > 0;
}

export type AnsweredSearch = {
  kind: "answered";
  job: JobInsertion;
  submitted: ResultParts & Page & SearchTimes;
};

export function answerSubmission(
  database: Database,
  { row, search, node, startedMs, resultRetentionMs }: SearchSubmission,
): AnsweredSearch | Extract<SubmittedSearch, { kind: "unanswered" }> {
  const answerer = answerers.get(database);
  const outcome = answerer === undefined ? "unavailable" : answerer(search, startedMs);
  if (typeof outcome === "string") return { kind: "unanswered", reason: outcome };
  const { request } = search;
  const answer: JobResult = withUnsearchedSpan(outcome.answer, request.unsearched ?? null);
  const parts = encodeResultParts(answer);
  const finishedMs = startedMs + outcome.tookMs;
  const times = { startedMs, finishedMs, expiresMs: timeAfter(finishedMs, resultRetentionMs) };
  const page = outcome.page ?? { body: null, lengths: null };
  const submittedAnswer = {
    ...times,
    node,
    result: joinResult(parts),
    fetched: [],
    postIds: listPostIds(answer),
  };
  return {
    kind: "answered",
    job: { ...row, request: encodeRequest(request), answer: submittedAnswer },
    submitted: { ...parts, ...page, ...times },
  };
}

/** Posts that other gateways may not have archived. */
const listPostIds = ({ items }: JobResult): bigint[] =>
  items.filter(isFetched).flatMap(({ id }) => (id === null ? [] : [id]));

export function submittedSearch(
  { submitted }: AnsweredSearch,
  inserted: InsertedJob,
): SubmittedSearch {
  if (inserted.isRepeated) return { kind: "repeated", earlier: inserted.earlier };
  const { change, hasDeliveries } = inserted;
  return { kind: "done", change, hasDeliveries, ...submitted };
}
