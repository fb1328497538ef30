import { useCallback, useEffect, useRef, useState } from "preact/compat";
import { isSearch } from "../../../../src/platforms/methods.ts";
import type { ApiProblem, RatesLeft } from "../../api.ts";
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
  findCounts(shown: ShownAnswer): CountsState | null;
  /** Uses one search. */
  count(shown: ShownAnswer): void;
};

/** Counts locally if the answer contains every match. */
export function useCounts(onRates: (rates: RatesLeft) => void): Counts {
  const [, setTurn] = useState(0);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const count = useCallback(
    ({ request, first }: ShownAnswer) => {
      running.current?.abort();
      const control = new AbortController();
      running.current = control;
      const update = (countsState: CountsState | null) => {
        cacheCounts(first.uuid, countsState);
        setTurn((turn) => turn + 1);
      };
      const window = countsWindow(first.coverage, first.results);
      update({ state: "counting" });
      countPosts(request, window, control.signal).then(
        ({ counts, rates }) => {
          update({ state: "counted", counts, window, sources: first.sources });
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

  return { findCounts: answerCounts, count };
}

function cacheCounts(uuid: string, countsState: CountsState | null): void {
  cache.delete(uuid);
  if (countsState !== null) cache.set(uuid, countsState);
  const [oldest] = cache.keys();
  if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
}

function answerCounts({ request, first }: ShownAnswer): CountsState | null {
  if (!isSearch(request.method)) return null;
  const known = cache.get(first.uuid);
  if (known !== undefined) return known;
  const window = countsWindow(first.coverage, first.results);
  const counts = localCounts(first, window);
  if (counts === null) return null;
  const countsState: CountsState = { state: "counted", counts, window, sources: [] };
  cacheCounts(first.uuid, countsState);
  return countsState;
}
