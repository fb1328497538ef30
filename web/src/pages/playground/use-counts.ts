import { useCallback, useEffect, useRef, useState } from "preact/compat";
import { isSearch } from "../../../../src/platforms/methods.ts";
import type { ApiProblem, RemainingRates } from "../../api.ts";
import type { Source } from "../../coverage-text.ts";
import type { CountsAnswer } from "./answer.ts";
import { type CountsWindow, countsWindow, localCounts } from "./counts.ts";
import { countPosts, problemFrom } from "./search.ts";
import type { ShownAnswer } from "./use-search.ts";

export type CountsState =
  | { state: "counting" }
  | {
      state: "counted";
      counts: CountsAnswer;
      window: CountsWindow;
      /** The answer's sources, whose live posts are not counted. */
      sources: readonly Source[];
    }
  | { state: "failed"; problem: ApiProblem };

/** Counts cached by the job of the first page, so that going back uses no search. */
const cache = new Map<string, CountsState>();
const maxCached = 20;

export type Counts = {
  findCounts(shownAnswer: ShownAnswer): CountsState | null;
  /** Uses one search. */
  count(shownAnswer: ShownAnswer): void;
};

/** Counts locally if the answer contains every match. */
export function useCounts(onRates: (rates: RemainingRates) => void): Counts {
  const [, setVersion] = useState(0);
  const activeRequest = useRef<AbortController | null>(null);
  useEffect(() => () => activeRequest.current?.abort(), []);

  const count = useCallback(
    ({ request, firstPage }: ShownAnswer) => {
      activeRequest.current?.abort();
      const control = new AbortController();
      activeRequest.current = control;
      const update = (countsState: CountsState | null) => {
        cacheCounts(firstPage.uuid, countsState);
        setVersion((version) => version + 1);
      };
      const window = countsWindow(firstPage.coverage, firstPage.results);
      update({ state: "counting" });
      countPosts(request, window, control.signal).then(
        ({ counts, rates }) => {
          update({ state: "counted", counts, window, sources: firstPage.sources });
          onRates(rates);
        },
        (error: unknown) => {
          const isOver = control.signal.aborted;
          update(isOver ? null : { state: "failed", problem: problemFrom(error) });
        },
      );
    },
    [onRates],
  );

  return { findCounts: cachedOrLocalCounts, count };
}

function cacheCounts(uuid: string, countsState: CountsState | null): void {
  cache.delete(uuid);
  if (countsState !== null) cache.set(uuid, countsState);
  const [oldest] = cache.keys();
  if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
}

function cachedOrLocalCounts({ request, firstPage }: ShownAnswer): CountsState | null {
  if (!isSearch(request.method)) return null;
  const cachedState = cache.get(firstPage.uuid);
  if (cachedState !== undefined) return cachedState;
  const window = countsWindow(firstPage.coverage, firstPage.results);
  const counts = localCounts(firstPage, window);
  if (counts === null) return null;
  const countsState: CountsState = { state: "counted", counts, window, sources: [] };
  cacheCounts(firstPage.uuid, countsState);
  return countsState;
}
