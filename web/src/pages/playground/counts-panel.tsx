import "./counts-panel.css";
import { Button } from "../../components/button.tsx";
import { CountsPlot } from "../../components/counts-plot.tsx";
import { Legend, legendMarks } from "../../components/plot-panel.tsx";
import { sentence } from "../../components/problem-note.tsx";
import { Table } from "../../components/table.tsx";
import { coarseDuration, shortTime, timesText } from "../../components/time.tsx";
import { wholeNumber } from "../../numbers.ts";
import { listText, platformNames } from "../../platforms.ts";
import { evenlySpacedLabels } from "../../ranges.ts";
import { type Bar, countsSummary, makeBars, plotGapsIn, stepText } from "./counts.ts";
import { livePlatforms } from "./coverage.ts";
import type { CountsState } from "./use-counts.ts";

export function CountsPanel({
  countsState,
  hasAnswer,
  onCount,
  onSelect,
}: {
  countsState: CountsState | null;
  hasAnswer: boolean;
  onCount(): void;
  onSelect(fromMs: number, toMs: number): void;
}) {
  if (countsState?.state === "counted")
    return <CountedPanel countsState={countsState} onSelect={onSelect} />;
  return (
    <section className="panel" aria-labelledby="counts">
      <div className="panel-head">
        <h2 id="counts">Over time</h2>
      </div>
      <div className="panel-body">
        <div className="counts-reserve">
          {countsState?.state === "failed" ? (
            <p>
              {sentence(countsState.problem.message)}{" "}
              <Button size="small" onClick={onCount}>
                Count again
              </Button>
            </p>
          ) : countsState?.state === "counting" ? null : hasAnswer ? (
            <p>
              <Button size="small" onClick={onCount}>
                Count over time
              </Button>
              <br />
              Uses one search.
            </p>
          ) : (
            <p>Run a search to see its matches over time.</p>
          )}
        </div>
      </div>
    </section>
  );
}

function CountedPanel({
  countsState,
  onSelect,
}: {
  countsState: Extract<CountsState, { state: "counted" }>;
  onSelect(fromMs: number, toMs: number): void;
}) {
  const { counts, window, sources } = countsState;
  const { bars, stepMs } = makeBars(counts, window);
  const gaps = plotGapsIn(counts.coverage, window);
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const platforms = livePlatforms(sources).map((platform) => platformNames[platform]);
  return (
    <section className="panel counts" aria-labelledby="counts">
      <div className="panel-head">
        <h2 id="counts">
          {wholeNumber(total)} in {coarseDuration(window.toMs - window.fromMs)}
        </h2>
        <span className="push small quiet">{stepText(stepMs)}</span>
      </div>
      <div className="panel-body">
        <CountsPlot
          window={window}
          bars={bars}
          gaps={gaps}
          summary={countsSummary(bars, stepMs, gaps)}
          axis={evenlySpacedLabels(window.fromMs, window.toMs)}
          describe={barText}
          onSelect={onSelect}
        />
        {gaps.some(({ isBefore }) => !isBefore) ? (
          <Legend entries={[{ name: "gap in coverage", drawing: legendMarks.gap }]} />
        ) : null}
        {platforms.length === 0 ? null : (
          <p className="small quiet">
            Archived posts only: posts that {listText(platforms)} returned live are not counted.
          </p>
        )}
        {counts.meta.next_token === undefined ? null : (
          <p className="small quiet">Timed out: older posts were not counted.</p>
        )}
        <details className="counts-table">
          <summary>As table</summary>
          <Table<Bar>
            caption="Matching posts over time"
            layout="scroll"
            rows={bars.toReversed()}
            rowKey={(bar) => String(bar.fromMs)}
            columns={[
              { title: "From", cell: (bar) => shortTime(new Date(bar.fromMs).toISOString()) },
              { title: "Posts", cell: (bar) => wholeNumber(bar.count), isNumber: true },
            ]}
          />
        </details>
      </div>
    </section>
  );
}

const barText = ({ fromMs, toMs, count }: Bar): string =>
  `${timesText(fromMs, toMs)}: ${wholeNumber(count)} ${count === 1 ? "post" : "posts"}`;
