import { useMemo } from "preact/compat";
import { legendMarks, PlotPanel } from "../../components/plot-panel.tsx";
import { Table } from "../../components/table.tsx";
import { UplotChart } from "../../components/uplot-chart.tsx";
import type { ChartKind } from "../../components/uplot-options.ts";
import { type Zoom, ZoomBrush } from "../../components/zoom.tsx";
import { durationText, wholeNumber } from "../../numbers.ts";
import {
  axisTexts,
  bucketText,
  responseTimes,
  responseTimesLabel,
  tickSeconds,
} from "./buckets.ts";
import { type ShownUsage, timeSteps } from "./selection.ts";

export function ResponseTimePanel({ usage, zoom }: { usage: ShownUsage; zoom: Zoom }) {
  const { range, buckets, bucket_ms: widthMs } = usage;
  const { times, lines, needsLogScale } = useMemo(() => responseTimes(usage), [usage]);
  const steps = useMemo(() => timeSteps(usage), [usage]);
  const kind = useMemo(
    (): ChartKind => ({
      look: "line",
      series: [
        { name: "p50", colour: "accent" },
        { name: "p99", colour: "quiet", isDashed: true },
      ],
      minTop: 10,
      isLogarithmic: needsLogScale,
      widthMs,
      valueText: (ms) => (ms === 0 ? "0" : durationText(ms)),
      axisTexts: (times) => axisTexts(range, times),
      tickSeconds: tickSeconds(range),
    }),
    [range, widthMs, needsLogScale],
  );
  return (
    <PlotPanel
      title="Response time"
      legend={[
        { name: "p50", drawing: legendMarks.line },
        { name: "p99", drawing: legendMarks.line2 },
      ]}
      zoom={zoom}
      plot={
        <ZoomBrush steps={steps} zoom={zoom}>
          <UplotChart
            label={responseTimesLabel(usage)}
            kind={kind}
            times={times}
            values={lines}
            height={216}
            tooltipAt={(index) => {
              const bucket = buckets[index];
              if (bucket === undefined) return null;
              return {
                time: bucketText(bucket, widthMs),
                rows: [
                  { name: "p50", value: msText(bucket.p50_ms) },
                  { name: "p99", value: msText(bucket.p99_ms) },
                  { name: "searches", value: wholeNumber(bucket.searches) },
                ],
              };
            }}
          />
        </ZoomBrush>
      }
      table={
        <Table
          caption="Response time, newest first"
          layout="scroll"
          columns={[
            { title: "Time", cell: (bucket) => bucketText(bucket, widthMs) },
            { title: "Searches", isNumber: true, cell: ({ searches }) => wholeNumber(searches) },
            { title: "p50", isNumber: true, cell: ({ p50_ms: ms }) => msText(ms) },
            { title: "p99", isNumber: true, cell: ({ p99_ms: ms }) => msText(ms) },
          ]}
          rows={buckets.toReversed()}
          rowKey={({ start }) => start}
        />
      }
    />
  );
}

const msText = (ms: number | null): string => (ms === null ? "none" : durationText(ms));
