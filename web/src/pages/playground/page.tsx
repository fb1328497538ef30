import { useEffect, useMemo, useRef, useState } from "react";
import { useSearch as useAddressSearch, useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { PageHead } from "../../components/page-head.tsx";
import { useSignedIn } from "../../session.tsx";
import { Composer } from "./composer.tsx";
import { CountsPanel } from "./counts-panel.tsx";
import { CoveragePanel } from "./coverage-panel.tsx";
import { OperatorsPanel } from "./operators-panel.tsx";
import { RatesLine, useRates } from "./rates-line.tsx";
import { readQuery } from "./read-query.ts";
import { RequestPanel } from "./request-panel.tsx";
import { Results } from "./results.tsx";
import { SearchNote } from "./search-note.tsx";
import { type Ask, addressOf, longestQuery, readAsk } from "./search-request.ts";
import { Starters } from "./starters.tsx";
import { useCounts } from "./use-counts.ts";
import { type Shown, useSearch } from "./use-search.ts";

/**
 * The address contains the search. Opening it sends nothing, as searches count against the limit; history state `run`
 * sends it.
 */
export function PlaygroundPage() {
  const { live_window_ms: liveWindowMs, base_url: baseUrl, limits, account } = useSignedIn();
  const [, go] = useLocation();
  const address = useAddressSearch();
  const state = useHistoryState<{ run?: boolean } | null>();
  const field = useRef<HTMLTextAreaElement>(null);
  const [ask, setAsk] = useState<Ask>(() => readAsk(address));
  const [hasHelp, setHelp] = useState(false);
  const [said, setSaid] = useState("");
  const reading = useMemo(
    () => readQuery(ask.query, longestQuery(ask.method)),
    [ask.query, ask.method],
  );
  const perMinute = limits.submissions_per_minute;
  const [rates, noteRates] = useRates();
  const counts = useCounts(noteRates);
  const searching = useSearch(account.id, ask, (answered, told, isFirst) => {
    noteRates(told);
    setSaid(outcomeOf(answered));
    // Counting uses a search, so it never takes the last ones.
    const isPlenty = told.searches === null || told.searches > perMinute / 2;
    if (isFirst && isPlenty && counts.countsOf(answered) === null) counts.count(answered);
  });
  const { shown, phase, problem } = searching;
  const atAddress = useRef(addressOf(ask));

  const search = (asked: Ask) => {
    setAsk(asked);
    const next = addressOf(asked);
    atAddress.current = next;
    if (next !== addressOf(readAsk(address))) go(next);
    searching.run(asked);
  };

  const isRun = state?.run === true;
  useEffect(() => {
    const asked = readAsk(address);
    const own = addressOf(asked);
    if (!isRun && own === atAddress.current) return;
    atAddress.current = own;
    setAsk(asked);
    if (!isRun) {
      searching.recall(asked);
      return;
    }
    // A reload must not send it again.
    go(own, { replace: true, state: null });
    if (asked.query.trim() !== "") searching.run(asked);
  });

  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, []);

  const put = (query: string) => {
    setAsk({ ...ask, query });
    field.current?.focus();
  };
  const counted = shown === null ? null : counts.countsOf(shown);
  return (
    <>
      <PageHead title="Playground" />
      <p className="sr" role="status">
        {said}
      </p>
      <div className="stack">
        <Composer
          ask={ask}
          reading={reading}
          field={field}
          liveWindowMs={liveWindowMs}
          foot={<RatesLine rates={rates} perMinute={perMinute} />}
          onChange={setAsk}
          onSearch={() => search(ask)}
          onHelp={() => setHelp(!hasHelp)}
          onSay={setSaid}
        />
        {hasHelp ? (
          <OperatorsPanel
            onPick={(example) => put(`${ask.query.trimEnd()} ${example} `.trimStart())}
            onClose={() => setHelp(false)}
          />
        ) : null}
        <SearchNote
          phase={phase}
          problem={problem}
          perMinute={perMinute}
          onDoNotWait={searching.cancel}
          onRetry={() => search(ask)}
        />
        <div className="split">
          <Results
            ask={ask}
            shown={shown}
            phase={phase}
            before={<Starters onPick={put} />}
            onMore={searching.more}
            onCancel={searching.cancel}
            onSearch={search}
          />
          <div className="stack">
            <CountsPanel
              counted={counted}
              hasAnswer={shown !== null}
              onCount={() => {
                if (shown !== null) counts.count(shown);
              }}
            />
            <CoveragePanel shown={shown} />
            <RequestPanel ask={ask} baseUrl={baseUrl} />
          </div>
        </div>
      </div>
    </>
  );
}

/** For screen readers. */
function outcomeOf({ results, first }: Shown): string {
  const found = results.length === 1 ? "1 post" : `${results.length} posts`;
  return `${found} found. Coverage is ${first.complete ? "" : "in"}complete.`;
}
