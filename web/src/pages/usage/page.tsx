import { useMemo } from "preact/compat";
import { Link, useSearchParams } from "wouter";
import type { UsageResponse } from "../../../../src/http/dashboard/contract/usage.ts";
import { Empty } from "../../components/empty.tsx";
import { Segmented, Select } from "../../components/field.tsx";
import { FigureBox, FigureText } from "../../components/figure-box.tsx";
import { Loading } from "../../components/loading.tsx";
import { focusPageHead, PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useZoom } from "../../components/zoom.tsx";
import { isolateBidi } from "../../isolate-bidi.ts";
import {
  durationFigure,
  percentFigure,
  quantityText,
  shortNumber,
  wholeNumber,
} from "../../numbers.ts";
import { parseRange, rangeLabel, ranges } from "../../ranges.ts";
import { useApi } from "../../use-api.ts";
import { MethodsPanel } from "./methods-panel.tsx";
import { RemainingPanel } from "./remaining-panel.tsx";
import { RequestsPanel } from "./requests-panel.tsx";
import { ResponseTimePanel } from "./response-time-panel.tsx";
import { shownUsage } from "./selection.ts";

const refreshMs = 30_000;
const allKeys = "";

export function UsagePage() {
  const [searchParams, setSearchParams] = useSearchParams();
  const range = parseRange(searchParams.get("range"), "7d");
  const keyId = searchParams.get("key") ?? allKeys;
  const parameters = new URLSearchParams({ range, ...(keyId === allKeys ? {} : { key: keyId }) });
  const { data, problem, refresh } = useApi<UsageResponse>(
    `/dashboard/api/usage?${parameters}`,
    refreshMs,
  );
  const changeView = (change: { range?: string; key?: string }) => {
    const next = { range, key: keyId, ...change };
    const { key, ...rest } = next;
    setSearchParams({ ...rest, ...(key === allKeys ? {} : { key }) }, { replace: true });
  };
  return (
    <>
      <PageHead
        title="Usage"
        actions={
          <>
            <Segmented
              legend="Time shown"
              options={ranges}
              value={range}
              onPick={(picked) => changeView({ range: picked })}
            />
            <Select
              aria-label="Key"
              options={keyOptions(data, keyId)}
              value={keyId}
              onPick={(picked) => changeView({ key: picked })}
            />
          </>
        }
      >
        {data === undefined ? "\u00a0" : pageSummary(data, keyId)}
      </PageHead>
      <div className="stack">
        {problem === undefined ? null : <ProblemNote problem={problem} retry={refresh} />}
        {data === undefined ? (
          problem === undefined && <Loading>Loading usage…</Loading>
        ) : (
          <Panels key={data.range} usage={data} />
        )}
      </div>
    </>
  );
}

function keyOptions(data: UsageResponse | undefined, keyId: string) {
  const keys = data?.keys ?? [];
  const options = keys.map(({ id, name, ended }) => ({
    value: id,
    label: ended ? `${isolateBidi(name)} (ended)` : name,
  }));
  const isMissing = keyId !== allKeys && !keys.some(({ id }) => id === keyId);
  return [
    { value: allKeys, label: "All keys" },
    ...options,
    ...(isMissing ? [{ value: keyId, label: keyId }] : []),
  ];
}

function pageSummary({ keys, totals, range }: UsageResponse, keyId: string): string {
  const key = keys.find(({ id }) => id === keyId);
  const name = key === undefined ? "All keys" : isolateBidi(key.name);
  const { requests, refused } = totals;
  if (requests === 0) return `${name}: no requests in ${rangeLabel(range)}.`;
  const refusals =
    refused === 0 ? "none refused" : `${wholeNumber(refused)} refused by a rate limit`;
  return `${name}: ${quantityText(requests, "request")} in ${rangeLabel(range)}, ${refusals}.`;
}

function Panels({ usage }: { usage: UsageResponse }) {
  const { totals, range } = usage;
  const zoom = useZoom(focusPageHead);
  const visibleUsage = useMemo(() => shownUsage(usage, zoom.selected), [usage, zoom.selected]);
  const plots = { usage: visibleUsage, zoom };
  // `totals.requests` includes the dashboard's own, for lists and states.
  if (totals.searches + totals.refused + totals.failed === 0) {
    return (
      <>
        <div className="panel">
          <Empty
            title={`No searches in ${rangeLabel(range)}`}
            text="Requests with your keys and searches from this dashboard are counted here within seconds."
          >
            <Link className="button" data-size="small" data-variant="primary" href="/playground">
              Open the playground
            </Link>
          </Empty>
        </div>
        <RemainingPanel />
      </>
    );
  }
  return (
    <>
      <Figures totals={totals} />
      <RequestsPanel {...plots} />
      <div className="two fill">
        <ResponseTimePanel {...plots} />
        <RemainingPanel />
      </div>
      <MethodsPanel usage={usage} />
    </>
  );
}

function Figures({ totals }: { totals: UsageResponse["totals"] }) {
  const { p50_ms: p50Ms } = totals;
  return (
    <dl className="figures">
      <FigureBox name="Requests">
        <FigureText figure={shortNumber(totals.requests)} />
      </FigureBox>
      <FigureBox name="Searches">
        <FigureText figure={shortNumber(totals.searches)} />
      </FigureBox>
      <FigureBox name="Posts returned">
        <FigureText figure={shortNumber(totals.posts)} />
      </FigureBox>
      <FigureBox name="Response time, p50">
        {p50Ms === null ? (
          <span className="quiet">none</span>
        ) : (
          <FigureText figure={durationFigure(p50Ms)} />
        )}
      </FigureBox>
      <FigureBox name="Searches failed">
        <FigureText figure={percentFigure(totals.searches_failed, totals.searches)} />
      </FigureBox>
    </dl>
  );
}
