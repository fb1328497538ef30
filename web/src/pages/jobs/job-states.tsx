import { useEffect, useRef } from "preact/compat";
import { Link } from "wouter";
import type { JobList } from "../../jobs/job.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";
import { useApi } from "../../use-api.ts";
import { everyJob, type JobFilter, jobAddress, listPath, type StateFilter } from "./filters.ts";

export type JobCounts = { running: number | null; failed: string | null; isStopped: boolean };

const maxCounted = 100;

export function useJobCounts(): JobCounts {
  const { running, last, feed } = useJobFeed();
  const isStopped = feed.status === "stopped";
  const { data, refresh } = useApi<JobList>(
    listPath({ ...everyJob, shown: "failed" }, maxCounted, null),
  );
  const handled = useRef(last);
  useEffect(() => {
    if (last === handled.current || last?.status !== "error") return;
    handled.current = last;
    void refresh();
  }, [last, refresh]);
  if (data === undefined) return { running, failed: null, isStopped };
  const { jobs, next_cursor: next } = data;
  return { running, failed: next === null ? String(jobs.length) : `${maxCounted}+`, isStopped };
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
          href={jobAddress({ ...filter, shown: name }, uuid)}
          aria-current={name === filter.shown ? "true" : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
