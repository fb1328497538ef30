import { useEffect } from "preact/compat";
import useSWR from "swr";
import { type ApiProblem, api } from "./api.ts";

export type ApiState<Value> = {
  /** The latest successful response; undefined while loading. */
  data: Value | undefined;
  problem: ApiProblem | undefined;
  isLoading: boolean;
  refresh(): Promise<void>;
};

/**
 * A shared GET, repeated every `refreshMs` while the page is visible. A null path requests nothing.
 */
export function useApi<Value>(path: string | null, refreshMs = 0): ApiState<Value> {
  const { data, error, isLoading, mutate } = useSWR<Value, ApiProblem>(
    path,
    (requestPath: string) => api.get<Value>(requestPath),
    { refreshInterval: refreshMs, keepPreviousData: true, shouldRetryOnError: false },
  );
  // SWR stops repeating requests after an error.
  useEffect(() => {
    if (error === undefined || refreshMs === 0) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void mutate();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [error, refreshMs, mutate]);
  const refresh = async () => {
    await mutate();
  };
  return { data, problem: error, isLoading, refresh };
}
