import { useEffect, useMemo, useRef } from "preact/compat";
import useSWRInfinite from "swr/infinite";
import { type ApiProblem, api } from "../../api.ts";
import { afterEvent, type JobList, type JobSummary } from "../../jobs/job.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";
import { type JobFilter, listPath } from "./filters.ts";

const pageSize = 50;
/** All events within this time cause one request per page. */
const gatherMs = 250;

export type LiveList = {
  /** Newest first; undefined while loading. */
  jobs: readonly JobSummary[] | undefined;
  problem: ApiProblem | undefined;
  hasOlder: boolean;
  isLoadingOlder: boolean;
  showOlder(): void;
  refresh(): Promise<void>;
};

export function useJobList(filter: JobFilter): LiveList {
  const { events, last, openCount } = useJobFeed();
  const { data, error, size, setSize, mutate } = useSWRInfinite<JobList, ApiProblem>(
    (index: number, before: JobList | null) => {
      if (index === 0) return listPath(filter, pageSize, null);
      return before?.next_cursor == null ? null : listPath(filter, pageSize, before.next_cursor);
    },
    (path: string) => api.get<JobList>(path),
    { shouldRetryOnError: false, revalidateFirstPage: false, keepPreviousData: true },
  );
  const waiting = useRef<ReturnType<typeof setTimeout> | null>(null);
  const pages = data?.length ?? 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect reacts to events and to reopened streams
  useEffect(() => {
    if (openCount === 0 || waiting.current !== null) return;
    waiting.current = setTimeout(() => {
      waiting.current = null;
      void mutate();
    }, gatherMs * pages);
  }, [last, openCount, mutate]);
  useEffect(
    () => () => {
      if (waiting.current !== null) clearTimeout(waiting.current);
      waiting.current = null;
    },
    [],
  );
  const jobs = useMemo(
    () => data?.flatMap((page) => page.jobs).map((job) => afterEvent(job, events.get(job.uuid))),
    [data, events],
  );
  return {
    jobs,
    problem: error,
    hasOlder: data?.at(-1)?.next_cursor != null,
    isLoadingOlder: data !== undefined && data.length < size,
    showOlder: () => void setSize(size + 1),
    refresh: async () => {
      await mutate();
    },
  };
}
