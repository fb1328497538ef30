import { useEffect, useRef } from "preact/compat";
import { Link } from "wouter";
import type { JobList } from "../../jobs/job.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";
import { useApi } from "../../use-api.ts";
import {
  allJobsFilter,
  type JobFilter,
  jobPagePath,
  listPath,
  type StateFilter,
} from "./filters.ts";

export type JobCounts = { running: number | null; failed: string | null; isStopped: boolean };

const maxCount = 100;

export function useJobCounts(): JobCounts {
  const { runningCount, lastEvent, feed } = useJobFeed();
  const isStopped = feed.status === "stopped";
  const { data, refresh } = useApi<JobList>(
    listPath({ ...allJobsFilter, state: "failed" }, maxCount, null),
  );
  const handledEvent = useRef(lastEvent);
  useEffect(() => {
    if (lastEvent === handledEvent.current || lastEvent?.status !== "error") return;
    handledEvent.current = lastEvent;
    void refresh();
  }, [lastEvent, refresh]);
  if (data === undefined) return { running: runningCount, failed: null, isStopped };
  const { jobs, next_cursor: next } = data;
  return {
    running: runningCount,
    failed: next === null ? String(jobs.length) : `${maxCount}+`,
    isStopped,
  };
}

export function JobStates({
  filter,
  uuid,
  counts,
}: {
  filter: JobFilter;
  uuid: string | null;
  counts: JobCounts;
}) {
  const { running, failed } = counts;
  const choices: readonly { name: StateFilter; text: string }[] = [
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
          href={jobPagePath({ ...filter, state: name }, uuid)}
          aria-current={name === filter.state ? "true" : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
