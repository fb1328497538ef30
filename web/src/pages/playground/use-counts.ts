import { useCallback, useEffect, useRef, useState } from "preact/compat";
import { isSearch } from "../../../../src/platforms/methods.ts";
import type { ApiProblem, RatesLeft } from "../../api.ts";
import type { Source } from "../../coverage-text.ts";
import type { CountsAnswer } from "./answer.ts";
import { type CountsWindow, countedHere, windowOf } from "./counts.ts";
import { countPosts, problemFrom } from "./search.ts";
import type { Shown } from "./use-search.ts";

export type Counted =
  | { state: "counting" }
  | {
      state: "counted";
      counts: CountsAnswer;
      window: CountsWindow;
      /** The answer's sources, whose live posts are not counted. */
      sources: readonly Source[];
    }
  | { state: "failed"; problem: ApiProblem };

/** Counts cached by the job of the first page, so that Back costs no search. */
const kept = new Map<string, Counted>();
const maxKept = 20;

export type Counts = {
  countsOf(shown: Shown): Counted | null;
  /** Uses one search. */
  count(shown: Shown): void;
};

/** Counts of a search; computed locally if the answer contains every match. */
export function useCounts(onRates: (rates: RatesLeft) => void): Counts {
  const [, setTurn] = useState(0);
  const underWay = useRef<AbortController | null>(null);
  useEffect(() => () => underWay.current?.abort(), []);

  const count = useCallback(
    ({ request, first }: Shown) => {
      underWay.current?.abort();
      const control = new AbortController();
      underWay.current = control;
      const note = (counted: Counted | null) => {
        keep(first.uuid, counted);
        setTurn((turn) => turn + 1);
      };
      const window = windowOf(first.coverage, first.results);
      note({ state: "counting" });
      countPosts(request, window, control.signal).then(
        ({ counts, rates }) => {
          note({ state: "counted", counts, window, sources: first.sources });
          onRates(rates);
        },
        (error: unknown) => {
          const isOver = control.signal.aborted;
          note(isOver ? null : { state: "failed", problem: problemFrom(error) });
        },
      );
    },
    [onRates],
  );

  return { countsOf, count };
}

function keep(uuid: string, counted: Counted | null): void {
  kept.delete(uuid);
  if (counted !== null) kept.set(uuid, counted);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
}

function countsOf({ request, first }: Shown): Counted | null {
  if (!isSearch(request.method)) return null;
  const known = kept.get(first.uuid);
  if (known !== undefined) return known;
  const window = windowOf(first.coverage, first.results);
  const counts = countedHere(first, window);
  if (counts === null) return null;
  const counted: Counted = { state: "counted", counts, window, sources: [] };
  keep(first.uuid, counted);
  return counted;
}
