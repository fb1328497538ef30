import { useEffect, useMemo, useRef, useState } from "preact/compat";
import { useSearch as useAddressSearch, useLocation } from "wouter";
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
  searchAddress,
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
  const [, go] = useLocation();
  const address = useAddressSearch();
  const state = useHistoryState<{ run?: boolean } | null>();
  const field = useRef<HTMLTextAreaElement>(null);
  const [request, setRequest] = useState<Request>(() => readRequest(address));
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
  const perMinute = limits.submissions_per_minute;
  const [rates, observeRates] = useRates();
  const counts = useCounts(observeRates);
  const searching = useSearch(account.id, request, (answeredSearch, newRates, isFirst) => {
    observeRates(newRates);
    setAnnouncement(outcomeText(answeredSearch));
    // Counting uses a search, so it never takes the last ones.
    const hasManySearchesLeft = newRates.searches === null || newRates.searches > perMinute / 2;
    const isCounted = isSearch(answeredSearch.request.method);
    if (isFirst && hasManySearchesLeft && isCounted && counts.findCounts(answeredSearch) === null)
      counts.count(answeredSearch);
  });
  const { shown, phase, problem } = searching;
  const atAddress = useRef(searchAddress(request));

  const changeHistory = (changed: readonly PastSearch[]) => {
    setSearches(changed);
    writeHistory(account.id, changed);
  };
  const search = (newRequest: Request) => {
    setRequest(newRequest);
    const next = searchAddress(newRequest);
    atAddress.current = next;
    if (next !== searchAddress(readRequest(address))) go(next);
    changeHistory(
      withSearch(searches, {
        address: next,
        query: newRequest.query || newRequest.method,
        atMs: Date.now(),
      }),
    );
    searching.run(newRequest);
  };

  const isRun = state?.run === true;
  useEffect(() => {
    const newRequest = readRequest(address);
    const ownAddress = searchAddress(newRequest);
    if (!isRun && ownAddress === atAddress.current) return;
    atAddress.current = ownAddress;
    setRequest(newRequest);
    if (!isRun) {
      searching.showCached(newRequest);
      return;
    }
    // A reload must not send the search again.
    go(ownAddress, { replace: true, state: null });
    if (newRequest.query.trim() !== "" || !needsQuery(newRequest.method)) searching.run(newRequest);
  });

  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, []);

  // The address survives a sign-in.
  useEffect(() => onSignedOut(() => go(searchAddress(request), { replace: true })), [request, go]);

  const setQuery = (query: string, method = request.method) => {
    setRequest({ ...withMethod(request, method), query });
    field.current?.focus();
  };
  const countsState = shown === null ? null : counts.findCounts(shown);
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
          foot={<RatesLine rates={rates} perMinute={perMinute} />}
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
        {shown === null ? <FirstRun /> : null}
        <SearchNote
          phase={phase}
          problem={problem}
          perMinute={perMinute}
          onCancel={searching.cancel}
          onRetry={() => search(request)}
        />
        <div className="split">
          <Results
            request={request}
            shown={shown}
            phase={phase}
            before={<ExampleQueries onPick={setQuery} />}
            onMore={searching.more}
            onCancel={searching.cancel}
            onSearch={search}
          />
          <div className="stack">
            <CountsPanel
              countsState={countsState}
              hasAnswer={shown !== null && isSearch(shown.request.method)}
              onCount={() => {
                if (shown !== null) counts.count(shown);
              }}
              onSelect={(fromMs, toMs) => {
                if (shown === null) return;
                const times = requestTimes(
                  new Date(fromMs).toISOString(),
                  new Date(toMs).toISOString(),
                );
                search({ ...shown.request, ...times });
              }}
            />
            <AnswerCoveragePanel shown={shown} />
            <RequestPanel request={request} baseUrl={baseUrl} />
          </div>
        </div>
      </div>
    </>
  );
}

function outcomeText({ results, first }: ShownAnswer): string {
  const count = results.length === 1 ? "1 post" : `${results.length} posts`;
  return `${count} found. Coverage is ${first.complete ? "" : "in"}complete.`;
}
