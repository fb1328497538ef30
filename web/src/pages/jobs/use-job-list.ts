import { useEffect, useMemo, useRef } from "preact/compat";
import useSWRInfinite from "swr/infinite";
import { type ApiProblem, api } from "../../api.ts";
import { afterEvent, type JobList, type JobSummary } from "../../jobs/job.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";
import { type JobFilter, listPath } from "./filters.ts";

const pageSize = 50;
/** Per loaded page; events within it cause one refresh. */
const debounceMs = 250;

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
  const { events, lastEvent, openCount } = useJobFeed();
  const { data, error, size, setSize, mutate } = useSWRInfinite<JobList, ApiProblem>(
    (index: number, previousPage: JobList | null) => {
      if (index === 0) return listPath(filter, pageSize, null);
      return previousPage?.next_cursor == null
        ? null
        : listPath(filter, pageSize, previousPage.next_cursor);
    },
    (path: string) => api.get<JobList>(path),
    { shouldRetryOnError: false, revalidateFirstPage: false, keepPreviousData: true },
  );
  const refreshTimer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const pages = data?.length ?? 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect reacts to events and to reopened streams
  useEffect(() => {
    if (openCount === 0 || refreshTimer.current !== null) return;
    refreshTimer.current = setTimeout(() => {
      refreshTimer.current = null;
      void mutate();
    }, debounceMs * pages);
  }, [lastEvent, openCount, mutate]);
  useEffect(
    () => () => {
      if (refreshTimer.current !== null) clearTimeout(refreshTimer.current);
      refreshTimer.current = null;
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
