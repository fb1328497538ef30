import useSWRInfinite from "swr/infinite";
import { type ApiProblem, api } from "./api.ts";

export type Pages<Row> = {
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  problem: ApiProblem | undefined;
  /** Null if there are no more rows or a page is loading. */
  loadMore: (() => void) | null;
  refresh(): Promise<void>;
};

type Page = { next: string | number | null };

/** `cursor` is the query parameter that requests the next page. */
export function usePages<Body extends Page, Row>(
  path: string,
  listRows: (page: Body) => readonly Row[],
  cursor: "after" | "before" = "after",
): Pages<Row> {
  const { data, error, isLoading, setSize, size, mutate } = useSWRInfinite<Body, ApiProblem>(
    (_at, previous: Body | null) => {
      if (previous === null) return path;
      if (previous.next === null) return null;
      return `${path}${path.includes("?") ? "&" : "?"}${cursor}=${previous.next}`;
    },
    (requestPath: string) => api.get<Body>(requestPath),
    { shouldRetryOnError: false, keepPreviousData: true },
  );
  const isLoadingMore = isLoading || (data !== undefined && data.length < size);
  const hasMore = data?.at(-1)?.next != null;
  return {
    rows: data?.flatMap(listRows),
    problem: error,
    loadMore: hasMore && !isLoadingMore ? () => void setSize(size + 1) : null,
    refresh: async () => {
      await mutate();
    },
  };
}
