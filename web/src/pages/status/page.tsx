import { useSearchParams } from "wouter";
import type { StatusResponse } from "../../../../src/http/dashboard/contract/status.ts";
import { Segmented } from "../../components/field.tsx";
import { Loading } from "../../components/loading.tsx";
import { focusPageHead, PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useZoom } from "../../components/zoom.tsx";
import { FirstRun } from "../../first-run/first-run.tsx";
import { parseRange, ranges } from "../../ranges.ts";
import { useApi } from "../../use-api.ts";
import { ArchivePanel } from "./archive-panel.tsx";
import { CoveragePanel } from "./coverage-panel.tsx";
import { StatusFigures } from "./figures.tsx";
import { GapsPanel } from "./gaps-panel.tsx";
import { LagPanel } from "./lag-panel.tsx";
import { NodesPanel } from "./nodes-panel.tsx";
import { statusSummary } from "./status-summary.ts";

const refreshMs = 10_000;

export function StatusPage() {
  const [searchParams, setSearchParams] = useSearchParams();
  const range = parseRange(searchParams.get("range"), "7d");
  const { data, problem, refresh } = useApi<StatusResponse>(
    `/dashboard/api/status?range=${range}`,
    refreshMs,
  );
  return (
    <>
      <PageHead
        title="Status"
        actions={
          <Segmented
            legend="Time shown"
            options={ranges}
            value={range}
            onPick={(picked) => setSearchParams({ range: picked }, { replace: true })}
          />
        }
      >
        {data === undefined ? "\u00a0" : statusSummary(data)}
      </PageHead>
      <div className="stack">
        {problem === undefined ? null : <ProblemNote problem={problem} retry={refresh} />}
        <FirstRun />
        {data === undefined ? (
          problem === undefined && <Loading>Loading status…</Loading>
        ) : (
          <Panels key={data.range} status={data} />
        )}
      </div>
    </>
  );
}

function Panels({ status }: { status: StatusResponse }) {
  const zoom = useZoom(focusPageHead);
  return (
    <>
      <StatusFigures status={status} />
      <CoveragePanel status={status} zoom={zoom} />
      <GapsPanel status={status} />
      <div className="two fill">
        <LagPanel status={status} zoom={zoom} />
        <ArchivePanel status={status} />
      </div>
      <NodesPanel nodes={status.nodes} />
    </>
  );
}
