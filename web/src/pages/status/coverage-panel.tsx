import "../../components/coverage-list.css";
import { useMemo } from "react";
import { PlatformMark } from "../../components/platform-mark.tsx";
import { Legend, legendMarks } from "../../components/plot-panel.tsx";
import { Trace } from "../../components/trace.tsx";
import { platformNames } from "../../platforms.ts";
import { axisLabels, rangeLabel } from "../../ranges.ts";
import {
  type CoverageStatus,
  findingText,
  methodText,
  type PlatformCoverage,
  traceLabel,
} from "./coverage-summary.ts";

export function CoveragePanel({ status }: { status: CoverageStatus }) {
  const { range, from, to, platforms } = status;
  return (
    <section className="panel" aria-labelledby="coverage">
      <div className="panel-head">
        <h2 id="coverage">Coverage</h2>
        <Legend
          entries={[
            { name: "posts received", drawing: legendMarks.trace },
            { name: "gap", drawing: legendMarks.gap },
            { name: "not archived", drawing: legendMarks.none },
          ]}
        />
      </div>
      <ul className="coverage">
        {platforms.map((platform) => (
          <PlatformRow key={platform.platform} platform={platform} status={status} />
        ))}
      </ul>
      <div className="axis coverage-axis" aria-hidden="true">
        {axisLabels(range, Date.parse(from), Date.parse(to)).map((label, at) => (
          // Two days of different months may have the same number.
          // biome-ignore lint/suspicious/noArrayIndexKey: a label is its place
          <span key={at}>{label}</span>
        ))}
      </div>
    </section>
  );
}

function PlatformRow({ platform, status }: { platform: PlatformCoverage; status: CoverageStatus }) {
  const { from, to, range } = status;
  const parts = useMemo(
    () => ({
      window: stretch({ from, to }),
      heard: platform.heard,
      held: platform.coverage.held.map(stretch),
      gaps: platform.coverage.gaps.map(stretch),
    }),
    [platform, from, to],
  );
  return (
    <li>
      <div className="coverage-head">
        <h3>
          <PlatformMark platform={platform.platform} />
          {platformNames[platform.platform]}
        </h3>
        <span className="quiet" title={platform.stream?.detail}>
          {methodText(platform)}
        </span>
        <span>{findingText(platform)}</span>
      </div>
      <Trace label={traceLabel(platform, rangeLabel(range))} parts={parts} />
    </li>
  );
}

const stretch = ({ from, to }: { from: string; to: string }) => ({
  fromMs: Date.parse(from),
  toMs: Date.parse(to),
});
