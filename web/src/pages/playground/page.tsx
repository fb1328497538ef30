import { useEffect, useMemo, useRef, useState } from "preact/compat";
import { useLocation, useSearch as useUrlSearch } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { isSearch } from "../../../../src/platforms/methods.ts";
import { onSignedOut } from "../../api.ts";
import { PageHead } from "../../components/page-head.tsx";
import { FirstRun } from "../../first-run/first-run.tsx";
import { useSignedIn } from "../../session.tsx";
import { Composer } from "./composer.tsx";
import { CountsPanel } from "./counts-panel.tsx";
import { AnswerCoveragePanel } from "./coverage-panel.tsx";
import { HistoryPanel } from "./history-panel.tsx";
import { OperatorsPanel } from "./operators-panel.tsx";
import {
  type PastSearch,
  readHistory,
  withSaved,
  withSearch,
  writeHistory,
} from "./query-history.ts";
import { RatesLine, useRates } from "./rates-line.tsx";
import { readQuery, readTargetText } from "./read-query.ts";
import { RequestPanel } from "./request-panel.tsx";
import { Results } from "./results.tsx";
import { SearchNote } from "./search-note.tsx";
import {
  maxQueryLength,
  needsQuery,
  type Request,
  readRequest,
  requestTimes,
  searchPagePath,
  withMethod,
} from "./search-request.ts";
import { ExampleQueries } from "./starters.tsx";
import { useCounts } from "./use-counts.ts";
import { type ShownAnswer, useSearch } from "./use-search.ts";

/**
 * The address contains the search. Opening it sends nothing, because searches count against the
 * limit; history state `run` sends it.
 */
export function PlaygroundPage() {
  const { live_window_ms: liveWindowMs, base_url: baseUrl, limits, account } = useSignedIn();
  const [, navigate] = useLocation();
  const urlSearch = useUrlSearch();
  const state = useHistoryState<{ run?: boolean } | null>();
  const field = useRef<HTMLTextAreaElement>(null);
  const [request, setRequest] = useState<Request>(() => readRequest(urlSearch));
  const [panel, setPanel] = useState<"help" | "history" | null>(null);
  const [searches, setSearches] = useState(() => readHistory(account.id));
  const [announcement, setAnnouncement] = useState("");
  const reading = useMemo(
    () =>
      isSearch(request.method)
        ? readQuery(request.query, maxQueryLength(request.method))
        : readTargetText(request.query, needsQuery(request.method)),
    [request.query, request.method],
  );
  const searchesPerMinute = limits.submissions_per_minute;
  const [rates, observeRates] = useRates();
  const counts = useCounts(observeRates);
  const searchController = useSearch(account.id, request, (answeredSearch, newRates, isFirst) => {
    observeRates(newRates);
    setAnnouncement(outcomeText(answeredSearch));
    // Counting uses a search, so it never takes the last ones.
    const hasManySearchesLeft =
      newRates.searches === null || newRates.searches > searchesPerMinute / 2;
    const isCounted = isSearch(answeredSearch.request.method);
    if (isFirst && hasManySearchesLeft && isCounted && counts.findCounts(answeredSearch) === null)
      counts.count(answeredSearch);
  });
  const { shownAnswer, phase, problem } = searchController;
  const currentPath = useRef(searchPagePath(request));

  const changeHistory = (changed: readonly PastSearch[]) => {
    setSearches(changed);
    writeHistory(account.id, changed);
  };
  const search = (newRequest: Request) => {
    setRequest(newRequest);
    const newPath = searchPagePath(newRequest);
    currentPath.current = newPath;
    if (newPath !== searchPagePath(readRequest(urlSearch))) navigate(newPath);
    changeHistory(
      withSearch(searches, {
        address: newPath,
        query: newRequest.query || newRequest.method,
        atMs: Date.now(),
      }),
    );
    searchController.run(newRequest);
  };

  const isRun = state?.run === true;
  useEffect(() => {
    const newRequest = readRequest(urlSearch);
    const newPath = searchPagePath(newRequest);
    if (!isRun && newPath === currentPath.current) return;
    currentPath.current = newPath;
    setRequest(newRequest);
    if (!isRun) {
      searchController.showCached(newRequest);
      return;
    }
    // A reload must not send the search again.
    navigate(newPath, { replace: true, state: null });
    if (newRequest.query.trim() !== "" || !needsQuery(newRequest.method))
      searchController.run(newRequest);
  });

  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, []);

  // The address survives a sign-in.
  useEffect(
    () => onSignedOut(() => navigate(searchPagePath(request), { replace: true })),
    [request, navigate],
  );

  const setQuery = (query: string, method = request.method) => {
    setRequest({ ...withMethod(request, method), query });
    field.current?.focus();
  };
  const countsState = shownAnswer === null ? null : counts.findCounts(shownAnswer);
  return (
    <>
      <PageHead title="Playground" />
      <p className="sr" role="status">
        {announcement}
      </p>
      <div className="stack">
        <Composer
          request={request}
          reading={reading}
          field={field}
          liveWindowMs={liveWindowMs}
          foot={<RatesLine rates={rates} searchesPerMinute={searchesPerMinute} />}
          onChange={setRequest}
          onSearch={() => search(request)}
          onHelp={() => setPanel(panel === "help" ? null : "help")}
          onHistory={() => setPanel(panel === "history" ? null : "history")}
          onAnnounce={setAnnouncement}
        />
        {panel === "history" ? (
          <HistoryPanel
            searches={searches}
            onSave={(saved, isSaved) => changeHistory(withSaved(searches, saved, isSaved))}
            onClear={() => changeHistory(searches.filter(({ isSaved }) => isSaved))}
            onClose={() => setPanel(null)}
          />
        ) : null}
        {panel === "help" ? (
          <OperatorsPanel
            onPick={(example) => setQuery(`${request.query.trimEnd()} ${example} `.trimStart())}
            onClose={() => setPanel(null)}
          />
        ) : null}
        {shownAnswer === null ? <FirstRun /> : null}
        <SearchNote
          phase={phase}
          problem={problem}
          searchesPerMinute={searchesPerMinute}
          onCancel={searchController.cancel}
          onRetry={() => search(request)}
        />
        <div className="split">
          <Results
            request={request}
            shownAnswer={shownAnswer}
            phase={phase}
            placeholder={<ExampleQueries onPick={setQuery} />}
            onMore={searchController.more}
            onCancel={searchController.cancel}
            onSearch={search}
          />
          <div className="stack">
            <CountsPanel
              countsState={countsState}
              hasAnswer={shownAnswer !== null && isSearch(shownAnswer.request.method)}
              onCount={() => {
                if (shownAnswer !== null) counts.count(shownAnswer);
              }}
              onSelect={(fromMs, toMs) => {
                if (shownAnswer === null) return;
                const times = requestTimes(
                  new Date(fromMs).toISOString(),
                  new Date(toMs).toISOString(),
                );
                search({ ...shownAnswer.request, ...times });
              }}
            />
            <AnswerCoveragePanel shownAnswer={shownAnswer} />
            <RequestPanel request={request} baseUrl={baseUrl} />
          </div>
        </div>
      </div>
    </>
  );
}

function outcomeText({ results, firstPage }: ShownAnswer): string {
  const count = results.length === 1 ? "1 post" : `${results.length} posts`;
  return `${count} found. Coverage is ${firstPage.complete ? "" : "in"}complete.`;
}
