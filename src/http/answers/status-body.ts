import type { Job, JobResult, JobSummary } from "../../jobs/job.ts";
import { serializeDictionary } from "../../lib/structured-fields.ts";
import type { Coverage, SourceCost } from "../../platforms/source.ts";
import { dashboardKeyId } from "../dashboard/usage-response.ts";
import { iso, isoOrNull } from "../submission/window.ts";
import { jobWarnings, resultEvidence } from "./job-answer.ts";

export function statusBody(job: Job, nextCursor: string | null) {
  const { result } = job;
  return {
    ...jobIdentity(job),
    sources: sourcesBody(result?.sources ?? []),
    node: job.node,
    evidence: resultEvidence(job),
    count: result?.items.length ?? null,
    complete: result?.complete ?? null,
    coverage: result === null ? null : coverageBody(result.coverage),
    warnings: jobWarnings(job),
    ...jobTimes(job),
    attempts: job.attempts,
    next_cursor: nextCursor,
  };
}

export function sourcesBody(sources: JobResult["sources"]) {
  return sources.map((source) => ({
    platform: source.platform,
    via: source.via,
    from: isoOrNull(source.fromMs),
    to: iso(source.toMs),
    count: source.count,
    ...(source.cost === undefined ? {} : { cost: costBody(source.cost) }),
  }));
}

function costBody({ postReads = 0, userReads = 0, requests = 0, microUsd, month }: SourceCost) {
  return {
    post_reads: postReads,
    user_reads: userReads,
    requests,
    usd: microUsd / 1_000_000,
    month:
      month === null
        ? null
        : {
            name: month.name,
            post_reads: month.postReads,
            most_post_reads: month.maxPostReads,
          },
  };
}

export function summaryBody(job: JobSummary) {
  return {
    ...jobIdentity(job),
    key: job.keyId === dashboardKeyId(job.accountId) ? null : job.keyId,
    node: job.node,
    evidence: job.evidence,
    count: job.count,
    complete: job.complete,
    cost_usd: job.microUsd === null ? null : job.microUsd / 1_000_000,
    warnings: job.warnings,
    ...jobTimes(job),
    attempts: job.attempts,
  };
}

function jobIdentity({ uuid, state, failure, request, canonicalQuery }: Omit<Job, "result">) {
  return {
    uuid,
    status: state,
    error: failure === null ? "" : [failure.message, failure.hint].filter(Boolean).join("; "),
    platform: request.platform,
    type: request.type,
    method: request.method,
    query: request.query,
    canonical_query: canonicalQuery,
  };
}

function jobTimes({ submittedMs, startedMs, finishedMs, expiresMs }: Omit<Job, "result">) {
  return {
    submitted_at: iso(submittedMs),
    started_at: isoOrNull(startedMs),
    finished_at: isoOrNull(finishedMs),
    expires_at: isoOrNull(expiresMs),
  };
}

/** Results from older versions lack `truncated` and `platforms`. */
export function coverageBody({ fromMs, toMs, complete, gaps, truncated, platforms }: Coverage) {
  return {
    from: isoOrNull(fromMs),
    to: iso(toMs),
    complete,
    gaps: gaps.map(spanBody),
    truncated: truncated ?? false,
    platforms: (platforms ?? []).map((covered) => ({
      platform: covered.platform,
      collection: covered.collection,
      complete: covered.complete,
      held: covered.held.map(spanBody),
      gaps: covered.gaps.map(spanBody),
      truncated: covered.truncated,
    })),
  };
}

const spanBody = ({ fromMs, toMs }: { fromMs: number | null; toMs: number }) => ({
  from: isoOrNull(fromMs),
  to: iso(toMs),
});

/** An RFC 9651 dictionary; an unbounded window has no `from`. */
export function coverageField(complete: boolean, coverage: Coverage): string {
  return serializeDictionary({
    complete: { value: complete && coverage.complete },
    ...(coverage.fromMs === null ? {} : { from: { value: iso(coverage.fromMs) } }),
    to: { value: iso(coverage.toMs) },
    gaps: { value: coverage.gaps.length },
  });
}
