import "../../components/field.css";
import "./jobs.css";
import { useEffect, useRef } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loading } from "../../components/loading.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useMedia } from "../../components/use-media.ts";
import type { JobList } from "../../jobs/job.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";
import { useApi } from "../../use-api.ts";
import { jobAddress, listPath, type Shown, shownOf } from "./filters.ts";
import { JobAnnouncement } from "./job-announcement.tsx";
import { JobTable } from "./job-table.tsx";
import { LiveNote } from "./live-note.tsx";
import { OpenedJob } from "./opened-job.tsx";
import { type LiveList, useJobList } from "./use-job-list.ts";

export function JobsPage() {
  const [path] = useLocation();
  const [search] = useSearchParams();
  const uuid = path.split("/")[2] || null;
  const shown = shownOf(search.get("show"));
  const list = useJobList(shown);
  const counts = useCounts();
  // On small screens the opened job precedes the long list.
  const isNarrow = useMedia("(width < 64rem)");
  const opened =
    uuid === null ? null : (
      <OpenedJob key={uuid} uuid={uuid} shown={shown} onChanged={list.refresh} />
    );
  return (
    <>
      <PageHead title="Jobs" actions={<Filter shown={shown} uuid={uuid} counts={counts} />}>
        {situation(list, counts)}
      </PageHead>
      <div className="stack">
        {list.jobs === undefined ? null : <LiveNote />}
        {list.problem === undefined ? null : (
          <ProblemNote problem={list.problem} retry={list.refresh} />
        )}
        {isNarrow ? opened : null}
        <div className="jobs-split" data-opened={isNarrow || opened === null ? undefined : ""}>
          <Listed list={list} shown={shown} uuid={uuid} isCompact={!isNarrow && opened !== null} />
          {isNarrow ? null : opened}
        </div>
      </div>
      <JobAnnouncement jobs={list.jobs ?? []} />
    </>
  );
}

type Counts = { running: number | null; failed: string | null; isStopped: boolean };

const mostCounted = 100;

function useCounts(): Counts {
  const { running, last, feed } = useJobFeed();
  const isStopped = feed.status === "stopped";
  const { data, refresh } = useApi<JobList>(listPath("failed", mostCounted, null));
  const requested = useRef(last);
  useEffect(() => {
    if (last === requested.current || last?.status !== "error") return;
    requested.current = last;
    void refresh();
  }, [last, refresh]);
  if (data === undefined) return { running, failed: null, isStopped };
  const { jobs, next_cursor: next } = data;
  return { running, failed: next === null ? String(jobs.length) : `${mostCounted}+`, isStopped };
}

function situation({ jobs }: LiveList, { running, failed, isStopped }: Counts): string {
  if (isStopped) return "This list is not live at the moment.";
  if (jobs === undefined || running === null) return "\u00a0";
  if (jobs.length === 0 && running === 0) return "Every search is a job. This list is live.";
  const underWay = running === 0 ? "No jobs are running" : `${running} running`;
  const failures = failed === null || failed === "0" ? "" : `, ${failed} failed`;
  return `${underWay}${failures}. This list is live.`;
}

function Filter({ shown, uuid, counts }: { shown: Shown; uuid: string | null; counts: Counts }) {
  const { running, failed } = counts;
  const choices: readonly { name: Shown; text: string }[] = [
    { name: "all", text: "All" },
    { name: "running", text: running ? `Running ${running}` : "Running" },
    { name: "failed", text: failed !== null && failed !== "0" ? `Failed ${failed}` : "Failed" },
    { name: "cancelled", text: "Cancelled" },
  ];
  return (
    <nav className="segmented" aria-label="Jobs shown">
      {choices.map(({ name, text }) => (
        <Link
          key={name}
          href={jobAddress(name, uuid)}
          aria-current={name === shown ? "true" : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

function Listed({
  list,
  shown,
  uuid,
  isCompact,
}: {
  list: LiveList;
  shown: Shown;
  uuid: string | null;
  isCompact: boolean;
}) {
  const { jobs, hasOlder, isLoadingOlder } = list;
  if (jobs === undefined) {
    return list.problem === undefined ? <Loading>Loading jobs…</Loading> : null;
  }
  if (jobs.length === 0 && !hasOlder) return <NoJobs shown={shown} />;
  return (
    <div className="panel">
      <JobTable
        jobs={jobs}
        shown={shown}
        opened={uuid}
        isCompact={isCompact}
        onChanged={list.refresh}
      />
      {hasOlder ? (
        <div className="panel-foot">
          <Button size="small" disabled={isLoadingOlder} onClick={list.showOlder}>
            Older
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function NoJobs({ shown }: { shown: Shown }) {
  if (shown !== "all") {
    return (
      <div className="panel">
        <Empty title={`No ${shown} jobs`} text={`New ${shown} jobs appear here.`}>
          <Link className="button" data-size="small" href="/jobs">
            All jobs
          </Link>
        </Empty>
      </div>
    );
  }
  return (
    <div className="panel">
      <Empty
        title="No jobs yet"
        text="Every search is a job, including those from the playground. Your jobs appear here as they run."
      >
        <Link className="button" data-size="small" data-variant="primary" href="/playground">
          Open the playground
        </Link>
      </Empty>
    </div>
  );
}
