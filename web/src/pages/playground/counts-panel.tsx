import "./counts-panel.css";
import { Button } from "../../components/button.tsx";
import { CountsPlot } from "../../components/counts-plot.tsx";
import { Legend, legendMarks } from "../../components/plot-panel.tsx";
import { sentence } from "../../components/problem-note.tsx";
import { Table } from "../../components/table.tsx";
import { lengthOf, shortTime, timesText } from "../../components/time.tsx";
import { wholeNumber } from "../../numbers.ts";
import { listed, platformNames } from "../../platforms.ts";
import { evenlySpacedLabels } from "../../ranges.ts";
import { type Bar, barsOf, everyStep, findingOf, holesIn } from "./counts.ts";
import { livePlatforms } from "./coverage.ts";
import type { Counted } from "./use-counts.ts";

export function CountsPanel({
  counted,
  hasAnswer,
  onCount,
  onSelect,
}: {
  counted: Counted | null;
  hasAnswer: boolean;
  onCount(): void;
  onSelect(fromMs: number, toMs: number): void;
}) {
  if (counted?.state === "counted") return <CountedPanel counted={counted} onSelect={onSelect} />;
  return (
    <section className="panel" aria-labelledby="counts">
      <div className="panel-head">
        <h2 id="counts">Over time</h2>
      </div>
      <div className="panel-body">
        <div className="counts-reserve">
          {counted?.state === "failed" ? (
            <p>
              {sentence(counted.problem.message)}{" "}
              <Button size="small" onClick={onCount}>
                Count again
              </Button>
            </p>
          ) : counted?.state === "counting" ? null : hasAnswer ? (
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
  counted,
  onSelect,
}: {
  counted: Extract<Counted, { state: "counted" }>;
  onSelect(fromMs: number, toMs: number): void;
}) {
  const { counts, window, sources } = counted;
  const { bars, stepMs } = barsOf(counts, window);
  const holes = holesIn(counts.coverage, window);
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const platforms = livePlatforms(sources).map((platform) => platformNames[platform]);
  return (
    <section className="panel counts" aria-labelledby="counts">
      <div className="panel-head">
        <h2 id="counts">
          {wholeNumber(total)} in {lengthOf(window.toMs - window.fromMs)}
        </h2>
        <span className="push small quiet">{everyStep(stepMs)}</span>
      </div>
      <div className="panel-body">
        <CountsPlot
          window={window}
          bars={bars}
          holes={holes}
          finding={findingOf(bars, stepMs, holes)}
          axis={evenlySpacedLabels(window.fromMs, window.toMs)}
          describe={barText}
          onSelect={onSelect}
        />
        {holes.some(({ isBefore }) => !isBefore) ? (
          <Legend entries={[{ name: "gap in coverage", drawing: legendMarks.gap }]} />
        ) : null}
        {platforms.length === 0 ? null : (
          <p className="small quiet">
            Archived posts only: posts that {listed(platforms)} answered live are not counted.
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
            keyOf={(bar) => String(bar.fromMs)}
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
