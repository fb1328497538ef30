import { useEffect, useRef, useState } from "preact/compat";
import type { ApiProblem, RatesLeft } from "../../api.ts";
import type { PostRecord, SearchAnswer } from "./answer.ts";
import { endSearch, type RunningSearch } from "./running-search.ts";
import { type Phase, problemFrom, type Replay, runSearch } from "./search.ts";
import { type Request, searchAddress } from "./search-request.ts";

/** The displayed answer, with all loaded pages. */
export type Shown = {
  request: Request;
  results: readonly PostRecord[];
  /** The first page, which fixes the window. */
  first: SearchAnswer;
  /** The last page. */
  answer: SearchAnswer;
  elapsedMs: number;
  /** One a page. */
  replays: readonly Replay[];
};

export type Searching = {
  shown: Shown | null;
  /** Null if no search is running. */
  phase: Phase | null;
  problem: ApiProblem | null;
  run(request: Request): void;
  /** Loads the next page. */
  more(): void;
  cancel(): void;
  /** Shows a cached answer of an address. */
  recall(request: Request): void;
};

const maxKept = 10;
/** Cached answers by account and address, so that Back costs no search. */
const kept = new Map<string, Shown>();

const nameOf = (accountId: string, request: Request): string =>
  `${accountId} ${searchAddress(request)}`;

function keep(name: string, shown: Shown): void {
  kept.delete(name);
  kept.set(name, shown);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
}

/** `onAnswered` is called with each page. */
export function useSearch(
  accountId: string,
  begun: Request,
  onAnswered: (shown: Shown, rates: RatesLeft, isFirst: boolean) => void,
): Searching {
  const [shown, setShown] = useState<Shown | null>(
    () => kept.get(nameOf(accountId, begun)) ?? null,
  );
  const [phase, setPhase] = useState<Phase | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const underWay = useRef<RunningSearch | null>(null);
  const answered = useRef(onAnswered);
  useEffect(() => {
    answered.current = onAnswered;
  });
  useEffect(() => () => underWay.current?.control.abort(), []);

  const start = (request: Request, before: Shown | null) => {
    endSearch(underWay.current);
    const control = new AbortController();
    const own: RunningSearch = { control, uuid: null };
    underWay.current = own;
    setPhase({ kind: "sent" });
    setProblem(null);
    const cursor = before?.answer.next_cursor ?? null;
    runSearch(request, cursor, control.signal, (next) => {
      if (control.signal.aborted) return;
      if (next.kind === "running") own.uuid = next.uuid;
      setPhase(next);
    }).then(
      ({ answer, elapsedMs, replay, rates: reported }) => {
        if (control.signal.aborted) return;
        own.uuid = null;
        const results = [...(before?.results ?? []), ...answer.results];
        const replays = [...(before?.replays ?? []), replay];
        const next = {
          request,
          results,
          first: before?.first ?? answer,
          answer,
          elapsedMs,
          replays,
        };
        keep(nameOf(accountId, request), next);
        setShown(next);
        setPhase(null);
        answered.current(next, reported, before === null);
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
      endSearch(underWay.current);
      setPhase(null);
    },
    recall: (request) => {
      underWay.current?.control.abort();
      setPhase(null);
      setProblem(null);
      setShown(kept.get(nameOf(accountId, request)) ?? null);
    },
  };
}
