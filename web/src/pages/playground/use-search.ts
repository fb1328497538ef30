import { useEffect, useRef, useState } from "preact/compat";
import type { ApiProblem, RatesLeft } from "../../api.ts";
import type { PostRecord, SearchAnswer } from "./answer.ts";
import { cancelJob, type Phase, problemFrom, type RepeatedRequest, runSearch } from "./search.ts";
import { type Request, searchAddress } from "./search-request.ts";

/** The displayed answer, with all loaded pages. */
export type ShownAnswer = {
  request: Request;
  results: readonly PostRecord[];
  /** The first page, which fixes the window. */
  first: SearchAnswer;
  /** The last page. */
  answer: SearchAnswer;
  elapsedMs: number;
  /** One for each page. */
  repeats: readonly RepeatedRequest[];
};

export type Searching = {
  shown: ShownAnswer | null;
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
  `${accountId} ${searchAddress(request)}`;

function cacheAnswer(name: string, shown: ShownAnswer): void {
  cache.delete(name);
  cache.set(name, shown);
  const [oldest] = cache.keys();
  if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
}

/** `onAnswered` is called with each page. */
export function useSearch(
  accountId: string,
  initialRequest: Request,
  onAnswered: (shown: ShownAnswer, rates: RatesLeft, isFirst: boolean) => void,
): Searching {
  const [shown, setShown] = useState<ShownAnswer | null>(
    () => cache.get(cacheKey(accountId, initialRequest)) ?? null,
  );
  const [phase, setPhase] = useState<Phase | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const running = useRef<RunningSearch | null>(null);
  const currentOnAnswered = useRef(onAnswered);
  useEffect(() => {
    currentOnAnswered.current = onAnswered;
  });
  useEffect(() => () => running.current?.control.abort(), []);

  const start = (request: Request, before: ShownAnswer | null) => {
    endSearch(running.current);
    const control = new AbortController();
    const own: RunningSearch = { control, uuid: null };
    running.current = own;
    setPhase({ kind: "sent" });
    setProblem(null);
    const cursor = before?.answer.next_cursor ?? null;
    runSearch(request, cursor, control.signal, (next) => {
      if (control.signal.aborted) return;
      if (next.kind === "running") own.uuid = next.uuid;
      setPhase(next);
    }).then(
      ({ answer, elapsedMs, repeat, rates: newRates }) => {
        if (control.signal.aborted) return;
        own.uuid = null;
        const results = [...(before?.results ?? []), ...answer.results];
        const repeats = [...(before?.repeats ?? []), repeat];
        const next = {
          request,
          results,
          first: before?.first ?? answer,
          answer,
          elapsedMs,
          repeats,
        };
        cacheAnswer(cacheKey(accountId, request), next);
        setShown(next);
        setPhase(null);
        currentOnAnswered.current(next, newRates, before === null);
      },
      (error: unknown) => {
        if (control.signal.aborted) return;
        setPhase(null);
        setProblem(problemFrom(error));
      },
    );
  };

  return {
    shown,
    phase,
    problem,
    run: (request) => start(request, null),
    more: () => {
      if (shown !== null) start(shown.request, shown);
    },
    cancel: () => {
      endSearch(running.current);
      setPhase(null);
    },
    showCached: (request) => {
      running.current?.control.abort();
      setPhase(null);
      setProblem(null);
      setShown(cache.get(cacheKey(accountId, request)) ?? null);
    },
  };
}

/** A search that was sent, and its running job once known. */
type RunningSearch = { control: AbortController; uuid: string | null };

export function endSearch(search: RunningSearch | null): void {
  if (search === null) return;
  search.control.abort();
  if (search.uuid !== null) void cancelJob(search.uuid);
  search.uuid = null;
}
