import { useMemo, useRef } from "preact/compat";
import { CoverageList } from "../../components/coverage-list.tsx";
import { exactTime, shortTime } from "../../components/time.tsx";
import { useZoom, WholeRange } from "../../components/zoom.tsx";
import type { JobStatus } from "../../jobs/job.ts";
import { coverageRows } from "./coverage-rows.ts";

export function JobCoveragePanel({ job: { coverage, sources } }: { job: JobStatus }) {
  const title = useRef<HTMLHeadingElement>(null);
  const zoom = useZoom(() => title.current?.focus());
  const coverageTable = useMemo(() => {
    const table = coverage === null ? null : coverageRows(coverage, sources, Date.now());
    return table === null ? null : { ...table, rows: table.rows.map(withHead) };
  }, [coverage, sources]);
  if (coverage === null || coverageTable === null) return null;
  const { window, rows } = coverageTable;
  const from = coverage.from === null ? "the beginning" : shortTime(coverage.from);
  return (
    <div className="panel-part" data-flush="">
      <div className="row">
        <h3 ref={title} tabIndex={-1}>
          Coverage
        </h3>
        <WholeRange zoom={zoom} />
      </div>
      <CoverageList
        window={window}
        rows={rows}
        axis={
          <>
            <span title={exactTime(new Date(window.fromMs).toISOString())}>{from}</span>
            <span title={exactTime(coverage.to)}>{shortTime(coverage.to)}</span>
          </>
        }
        zoom={zoom}
      />
    </div>
  );
}

function withHead<Row extends { name: string; summary: string }>(row: Row) {
  const head = (
    <>
      <h4>{row.name}</h4>
      <span>{row.summary}</span>
    </>
  );
  return { ...row, head };
}
