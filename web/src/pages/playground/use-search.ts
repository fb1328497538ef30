import { useEffect, useRef, useState } from "preact/compat";
import type { ApiProblem, RemainingRates } from "../../api.ts";
import { cancelJob } from "../../jobs/cancel-job.ts";
import type { PostRecord, SearchAnswer } from "./answer.ts";
import { type Phase, problemFrom, type RepeatedRequest, runSearch } from "./search.ts";
import { type Request, searchPagePath } from "./search-request.ts";

/** The displayed answer, with all loaded pages. */
export type ShownAnswer = {
  request: Request;
  results: readonly PostRecord[];
  /** The first page, which fixes the window. */
  firstPage: SearchAnswer;
  /** The last page. */
  answer: SearchAnswer;
  elapsedMs: number;
  /** One for each page. */
  repeats: readonly RepeatedRequest[];
};

export type SearchController = {
  shownAnswer: ShownAnswer | null;
  /** Null if no search is running. */
  phase: Phase | null;
  problem: ApiProblem | null;
  run(request: Request): void;
  more(): void;
  cancel(): void;
  showCached(request: Request): void;
};

const maxCached = 10;
/** Cached answers by account and address, so that going back uses no search. */
const cache = new Map<string, ShownAnswer>();

const cacheKey = (accountId: string, request: Request): string =>
  `${accountId} ${searchPagePath(request)}`;

function cacheAnswer(name: string, shownAnswer: ShownAnswer): void {
  cache.delete(name);
  cache.set(name, shownAnswer);
  const [oldest] = cache.keys();
  if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
}

/** `onAnswered` is called with each page. */
export function useSearch(
  accountId: string,
  initialRequest: Request,
  onAnswered: (shownAnswer: ShownAnswer, rates: RemainingRates, isFirst: boolean) => void,
): SearchController {
  const [shownAnswer, setShownAnswer] = useState<ShownAnswer | null>(
    () => cache.get(cacheKey(accountId, initialRequest)) ?? null,
  );
  const [phase, setPhase] = useState<Phase | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const runningSearch = useRef<RunningSearch | null>(null);
  const currentOnAnswered = useRef(onAnswered);
  useEffect(() => {
    currentOnAnswered.current = onAnswered;
  });
  useEffect(() => () => runningSearch.current?.control.abort(), []);

  const start = (request: Request, previousAnswer: ShownAnswer | null) => {
    endSearch(runningSearch.current);
    const control = new AbortController();
    const newSearch: RunningSearch = { control, uuid: null };
    runningSearch.current = newSearch;
    setPhase({ kind: "sent" });
    setProblem(null);
    const cursor = previousAnswer?.answer.next_cursor ?? null;
    runSearch(request, cursor, control.signal, (next) => {
      if (control.signal.aborted) return;
      if (next.kind === "running") newSearch.uuid = next.uuid;
      setPhase(next);
    }).then(
      ({ answer, elapsedMs, repeat, rates: newRates }) => {
        if (control.signal.aborted) return;
        newSearch.uuid = null;
        const results = [...(previousAnswer?.results ?? []), ...answer.results];
        const repeats = [...(previousAnswer?.repeats ?? []), repeat];
        const next = {
          request,
          results,
          firstPage: previousAnswer?.firstPage ?? answer,
          answer,
          elapsedMs,
          repeats,
        };
        cacheAnswer(cacheKey(accountId, request), next);
        setShownAnswer(next);
        setPhase(null);
        currentOnAnswered.current(next, newRates, previousAnswer === null);
      },
      (error: unknown) => {
        if (control.signal.aborted) return;
        setPhase(null);
        setProblem(problemFrom(error));
      },
    );
  };

  return {
    shownAnswer,
    phase,
    problem,
    run: (request) => start(request, null),
    more: () => {
      if (shownAnswer !== null) start(shownAnswer.request, shownAnswer);
    },
    cancel: () => {
      endSearch(runningSearch.current);
      setPhase(null);
    },
    showCached: (request) => {
      runningSearch.current?.control.abort();
      setPhase(null);
      setProblem(null);
      setShownAnswer(cache.get(cacheKey(accountId, request)) ?? null);
    },
  };
}

/** A search that was sent, and its running job once known. */
type RunningSearch = { control: AbortController; uuid: string | null };

export function endSearch(search: RunningSearch | null): void {
  if (search === null) return;
  search.control.abort();
  if (search.uuid !== null) void cancelJob(search.uuid).catch(() => undefined);
  search.uuid = null;
}
