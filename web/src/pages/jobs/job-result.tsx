import { useMemo } from "preact/compat";
import { isSearch } from "../../../../src/platforms/methods.ts";
import { PostList } from "../../components/post-list.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import type { JobStatus } from "../../jobs/job.ts";
import { wholeNumber } from "../../numbers.ts";
import { useApi } from "../../use-api.ts";
import type { PostRecord } from "../playground/answer.ts";
import { highlightTerms } from "../playground/marks.ts";
import { readQuery } from "../playground/read-query.ts";
import { maxQueryLength } from "../playground/search-request.ts";
import { shownPost } from "../playground/shown-post.ts";

const maxShown = 5;

export function JobResult({ job }: { job: JobStatus }) {
  const { uuid, status } = job;
  const path = `/v1/search/live/result/${uuid}`;
  const isRequested = status === "done" && job.count !== 0;
  const terms = useHighlightTerms(job);
  const { data, problem } = useApi<readonly PostRecord[]>(isRequested ? path : null);
  if (problem !== undefined) {
    return (
      <div className="panel-part">
        <ProblemNote problem={problem} />
      </div>
    );
  }
  if (status === "error") return <FailureNote />;
  if (status === "done" && job.count === 0) return <NothingFound job={job} />;
  if (data === undefined || status !== "done") return null;
  const visibleRecords = data.slice(0, maxShown);
  return (
    <div className="panel-part">
      <div className="row">
        <h3>Result</h3>
        <span className="quiet small">
          {visibleRecords.length < data.length
            ? `first ${visibleRecords.length} of ${wholeNumber(data.length)}`
            : wholeNumber(data.length)}
        </span>
        <a className="push small" href={path}>
          All as JSON
        </a>
      </div>
      <PostList posts={visibleRecords.map((record) => shownPost(record, terms))} />
    </div>
  );
}

function useHighlightTerms({ query, method }: JobStatus) {
  return useMemo(
    () => highlightTerms(isSearch(method) ? readQuery(query, maxQueryLength(method)).tree : null),
    [query, method],
  );
}

function FailureNote() {
  return (
    <div className="panel-part">
      <p className="quiet small">
        A failed job counts against the searches per minute and has no result.{" "}
        <a href="/docs/errors/job-failures">Why jobs fail</a>
      </p>
    </div>
  );
}

function NothingFound({ job: { complete } }: { job: JobStatus }) {
  return (
    <div className="panel-part">
      <h3>Nothing found</h3>
      <p className="quiet small">
        {complete
          ? "Coverage is complete: there are no matches."
          : "Coverage is incomplete: the gaps may contain matches."}
      </p>
    </div>
  );
}
