import { useMemo } from "preact/compat";
import { CoverageList, Labels } from "../../components/coverage-list.tsx";
import { PlatformMark } from "../../components/platform-mark.tsx";
import { Legend, legendMarks } from "../../components/plot-panel.tsx";
import { WholeRange, type Zoom } from "../../components/zoom.tsx";
import { traceLabel } from "../../coverage-text.ts";
import { platformNames } from "../../platforms.ts";
import { axisLabels, rangeLabel } from "../../ranges.ts";
import {
  type CoverageStatus,
  type PlatformCoverage,
  platformCoverageText,
  streamStatusText,
} from "./coverage-summary.ts";

export function CoveragePanel({ status, zoom }: { status: CoverageStatus; zoom: Zoom }) {
  const { range, from, to, platforms } = status;
  const { window, rows } = useMemo(() => {
    const window = plotSpan({ from, to });
    const rows = platforms.map((platform) => {
      const { coverage, received } = platform;
      const name = platformNames[platform.platform];
      const held = coverage.held.map(plotSpan);
      const gaps = coverage.gaps.map(plotSpan);
      return {
        id: platform.platform,
        name,
        head: <PlatformHead platform={platform} />,
        label: traceLabel(name, { held, gaps }, rangeLabel(range)),
        parts: { window, received, held, gaps },
      };
    });
    return { window, rows };
  }, [range, from, to, platforms]);
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
        <WholeRange zoom={zoom} />
      </div>
      <CoverageList
        window={window}
        rows={rows}
        axis={<Labels texts={axisLabels(range, window.fromMs, window.toMs)} />}
        zoom={zoom}
      />
    </section>
  );
}

function PlatformHead({ platform }: { platform: PlatformCoverage }) {
  return (
    <>
      <h3>
        <PlatformMark platform={platform.platform} />
        {platformNames[platform.platform]}
      </h3>
      <span className="quiet" title={platform.stream?.detail}>
        {streamStatusText(platform)}
      </span>
      <span>{platformCoverageText(platform)}</span>
    </>
  );
}

const plotSpan = ({ from, to }: { from: string; to: string }) => ({
  fromMs: Date.parse(from),
  toMs: Date.parse(to),
});
