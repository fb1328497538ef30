import { useEffect } from "react";
import useSWR from "swr";
import { type ApiProblem, api } from "./api.ts";

export type Loaded<Value> = {
  /** The last good answer; undefined before the first. */
  data: Value | undefined;
  problem: ApiProblem | undefined;
  isLoading: boolean;
  refresh(): Promise<void>;
};

/** What a GET answers, shared by all that ask for the path; `everyMs` asks again while the page is looked at. Null asks nothing. */
export function useApi<Value>(path: string | null, everyMs = 0): Loaded<Value> {
  const { data, error, isLoading, mutate } = useSWR<Value, ApiProblem>(
    path,
    (asked: string) => api.get<Value>(asked),
    { refreshInterval: everyMs, keepPreviousData: true, shouldRetryOnError: false },
  );
  // SWR asks no more at intervals once an answer has failed. Like those, this is for a page that is looked at.
  useEffect(() => {
    if (error === undefined || everyMs === 0) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void mutate();
    }, everyMs);
    return () => clearInterval(timer);
  }, [error, everyMs, mutate]);
  const refresh = async () => {
    await mutate();
  };
  return { data, problem: error, isLoading, refresh };
}
