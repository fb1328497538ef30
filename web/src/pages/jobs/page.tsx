import "../../components/field.css";
import "./jobs.css";
import { useEffect, useRef, useState } from "preact/compat";
import { Link, useLocation, useSearchParams } from "wouter";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loading } from "../../components/loading.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useDebounced } from "../../components/use-debounced.ts";
import { useMedia } from "../../components/use-media.ts";
import type { JobSummary } from "../../jobs/job.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";
import { isNarrowed, type JobFilter, jobsPageParameters, readFilter } from "./filters.ts";
import { JobFilters } from "./job-filters.tsx";
import { type JobCounts, JobStates, useJobCounts } from "./job-states.tsx";
import { JobTable } from "./job-table.tsx";
import { LiveNote } from "./live-note.tsx";
import { OpenedJob } from "./opened-job.tsx";
import { type LiveList, useJobList } from "./use-job-list.ts";

export function JobsPage() {
  const [path] = useLocation();
  const [searchParams, setSearchParams] = useSearchParams();
  const uuid = path.split("/")[2] || null;
  const filter = readFilter(searchParams);
  const text = useDebounced(filter.text);
  const list = useJobList({ ...filter, text });
  const counts = useJobCounts();
  // On small screens, the opened job precedes the long list.
  const isNarrow = useMedia("(width < 64rem)");
  const openedJob =
    uuid === null ? null : (
      <OpenedJob key={uuid} uuid={uuid} filter={filter} onChanged={list.refresh} />
    );
  return (
    <>
      <PageHead title="Jobs" actions={<JobStates filter={filter} uuid={uuid} counts={counts} />}>
        {pageSummary(list, counts)}
      </PageHead>
      <div className="stack">
        {list.jobs === undefined ? null : <LiveNote />}
        {list.problem === undefined ? null : (
          <ProblemNote problem={list.problem} retry={list.refresh} />
        )}
        {isNarrow ? openedJob : null}
        <div className="jobs-split" data-opened={isNarrow || openedJob === null ? undefined : ""}>
          <div className="panel">
            <JobFilters
              filter={filter}
              onChange={(changed) =>
                setSearchParams(jobsPageParameters(changed), { replace: true })
              }
            />
            <JobListPanel
              list={list}
              filter={filter}
              uuid={uuid}
              isCompact={!isNarrow && openedJob !== null}
            />
          </div>
          {isNarrow ? null : openedJob}
        </div>
      </div>
      <JobAnnouncement jobs={list.jobs ?? []} />
    </>
  );
}

function pageSummary({ jobs }: LiveList, { running, failed, isStopped }: JobCounts): string {
  if (isStopped) return "This list is not live at the moment.";
  if (jobs === undefined || running === null) return "\u00a0";
  if (jobs.length === 0 && running === 0) return "Every search is a job. This list is live.";
  const runningText = running === 0 ? "No jobs are running" : `${running} running`;
  const failures = failed === null || failed === "0" ? "" : `, ${failed} failed`;
  return `${runningText}${failures}. This list is live.`;
}

function JobListPanel({
  list,
  filter,
  uuid,
  isCompact,
}: {
  list: LiveList;
  filter: JobFilter;
  uuid: string | null;
  isCompact: boolean;
}) {
  const { jobs, hasOlder, isLoadingOlder } = list;
  if (jobs === undefined) {
    return list.problem === undefined ? <Loading>Loading jobs…</Loading> : null;
  }
  return (
    <>
      {jobs.length === 0 ? (
        <NoJobs filter={filter} hasOlder={hasOlder} />
      ) : (
        <JobTable
          jobs={jobs}
          filter={filter}
          openedUuid={uuid}
          isCompact={isCompact}
          onChanged={list.refresh}
        />
      )}
      {hasOlder ? (
        <div className="panel-foot">
          <Button size="small" disabled={isLoadingOlder} onClick={list.showOlder}>
            Older
          </Button>
        </div>
      ) : null}
    </>
  );
}

/** `hasOlder`: some older jobs have not been searched yet. */
function NoJobs({ filter, hasOlder }: { filter: JobFilter; hasOlder: boolean }) {
  if (filter.state === "all" && !isNarrowed(filter)) {
    return (
      <Empty
        title="No jobs yet"
        text="Every search is a job, including those from the playground. Your jobs appear here as they run."
      >
        <Link className="button" data-size="small" data-variant="primary" href="/playground">
          Open the playground
        </Link>
      </Empty>
    );
  }
  const kind = isNarrowed(filter) ? "matching" : filter.state;
  return (
    <Empty
      title={hasOlder ? `No ${kind} jobs found so far` : `No ${kind} jobs`}
      text={`New ${kind} jobs appear here.`}
    >
      <Link className="button" data-size="small" href="/jobs">
        All jobs
      </Link>
    </Empty>
  );
}

/** Announces the job that changed last to screen readers. */
function JobAnnouncement({ jobs }: { jobs: readonly JobSummary[] }) {
  const { lastEvent } = useJobFeed();
  const announcedEvent = useRef(lastEvent);
  const [text, setText] = useState("");
  useEffect(() => {
    if (lastEvent === null || lastEvent === announcedEvent.current) return;
    announcedEvent.current = lastEvent;
    const job = jobs.find(({ uuid }) => uuid === lastEvent.uuid);
    setText(`${job?.query || job?.method || "A job"}: ${lastEvent.status}`);
  }, [lastEvent, jobs]);
  return (
    <p className="sr" role="status">
      {text}
    </p>
  );
}
