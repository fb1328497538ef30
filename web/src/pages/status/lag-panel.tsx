import type { StatusResponse } from "../../../../src/http/dashboard/contract/status.ts";
import type { TimeStep } from "../../components/brush.tsx";
import { Plot } from "../../components/plot.tsx";
import { roundTop } from "../../components/plot-drawing.ts";
import { legendMarks, PlotPanel } from "../../components/plot-panel.tsx";
import { Table } from "../../components/table.tsx";
import { exactTime } from "../../components/time.tsx";
import { type Zoom, ZoomBrush } from "../../components/zoom.tsx";
import { durationText } from "../../numbers.ts";
import { listText, platformNames } from "../../platforms.ts";
import { axisLabels, evenlySpacedLabels, rangeLabel } from "../../ranges.ts";
import { type LagSeries, lagSeries } from "./lag.ts";

export function LagPanel({ status, zoom }: { status: StatusResponse; zoom: Zoom }) {
  const { selected } = zoom;
  const { buckets, series } = lagSeries(status, selected);
  if (series.length === 0) return <NoLag />;
  const { range, from, to } = status;
  const top = roundTop(series.flatMap(({ values }) => values));
  const labels =
    selected === null
      ? axisLabels(range, Date.parse(from), Date.parse(to))
      : evenlySpacedLabels(selected.fromMs, selected.toMs);
  const span = selected === null ? rangeLabel(range) : "the selected time";
  return (
    <PlotPanel
      title="Ingest lag"
      legend={series.map(({ platform }, index) => ({
        name: platformNames[platform],
        drawing: index === 0 ? legendMarks.line : legendMarks.line2,
      }))}
      zoom={zoom}
      plot={
        <ZoomBrush steps={buckets} zoom={zoom}>
          <Plot
            label={`Ingest lag over ${span}: ${series.map(lagLabel).join("; ")}`}
            series={series.map(({ values }, index) => ({
              values,
              look: index === 0 ? "line" : "line-2",
            }))}
            top={top}
            yLabels={[`${durationText(top * 1_000)}`, String(top / 2), "0"]}
            xLabels={labels.filter((_, index) => index % 2 === 0 || index === labels.length - 1)}
          />
        </ZoomBrush>
      }
      table={<LagTable status={status} selected={selected} />}
    />
  );
}

function LagTable({
  status: { platforms },
  selected,
}: {
  status: StatusResponse;
  selected: TimeStep | null;
}) {
  const rows = platforms
    .flatMap(({ platform, lag }) => lag.map((each) => ({ platform, ...each })))
    .filter(({ at }) => selected === null || isIn(selected, Date.parse(at)))
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return (
    <Table
      caption="Ingest lag, newest first"
      layout="scroll"
      columns={[
        { title: "From", cell: ({ at }) => exactTime(at) },
        { title: "Platform", cell: ({ platform }) => platformNames[platform] },
        { title: "Highest lag", isNumber: true, cell: (row) => durationText(row.lag_ms) },
      ]}
      rows={rows}
      rowKey={({ platform, at }) => `${platform} ${at}`}
    />
  );
}

function NoLag() {
  return (
    <section className="panel" aria-labelledby="lag">
      <div className="panel-head">
        <h2 id="lag">Ingest lag</h2>
      </div>
      <div className="panel-body">
        <p className="quiet">No stream reported its lag in this period.</p>
      </div>
    </section>
  );
}

function lagLabel({ platform, values }: LagSeries): string {
  const lags = values.filter((value) => value !== null).sort((a, b) => a - b);
  const name = listText([platformNames[platform]]);
  if (lags.length === 0) return `${name} none reported`;
  const median = lags[Math.floor(lags.length / 2)] ?? 0;
  const max = lags.at(-1) ?? 0;
  return `${name} median ${durationText(median * 1_000)}, maximum ${durationText(max * 1_000)}`;
}

const isIn = ({ fromMs, toMs }: TimeStep, ms: number): boolean => fromMs <= ms && ms < toMs;
