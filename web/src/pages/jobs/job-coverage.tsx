import "../../components/coverage-list.css";
import { useMemo } from "react";
import { exactTime, shortTime } from "../../components/time.tsx";
import { Trace } from "../../components/trace.tsx";
import type { JobStatus } from "../../jobs/job.ts";
import { coverageRows } from "./coverage-rows.ts";

export function JobCoverage({ job: { coverage, sources } }: { job: JobStatus }) {
  const drawn = useMemo(
    () => (coverage === null ? null : coverageRows(coverage, sources, Date.now())),
    [coverage, sources],
  );
  if (coverage === null || drawn === null) return null;
  const { window, rows } = drawn;
  const from = coverage.from === null ? "the beginning" : shortTime(coverage.from);
  return (
    <div className="panel-part" data-flush="">
      <h3>Coverage</h3>
      <ul className="coverage">
        {rows.map(({ id, name, finding, label, parts }) => (
          <li key={id}>
            <div className="coverage-head">
              <h4>{name}</h4>
              <span>{finding}</span>
            </div>
            <Trace label={label} parts={parts} />
          </li>
        ))}
      </ul>
      <div className="axis coverage-axis">
        <span title={exactTime(new Date(window.fromMs).toISOString())}>{from}</span>
        <span title={exactTime(coverage.to)}>{shortTime(coverage.to)}</span>
      </div>
    </div>
  );
}
