import { useMemo } from "preact/compat";
import type { UsageResponse } from "../../../../src/http/dashboard/contract/usage.ts";
import { legendMarks, PlotPanel } from "../../components/plot-panel.tsx";
import { Table } from "../../components/table.tsx";
import { UplotChart } from "../../components/uplot-chart.tsx";
import type { ChartKind } from "../../components/uplot-options.ts";
import { type Zoom, ZoomBrush } from "../../components/zoom.tsx";
import { axisNumber, wholeNumber } from "../../numbers.ts";
import { axisTexts, bucketText, requestStacks, requestsLabel, tickSeconds } from "./buckets.ts";
import { type ShownUsage, timeSteps } from "./selection.ts";

export function RequestsPanel({ usage, zoom }: { usage: ShownUsage; zoom: Zoom }) {
  const { range, buckets, bucket_ms: widthMs } = usage;
  const { times, stacks } = useMemo(() => requestStacks(usage), [usage]);
  const steps = useMemo(() => timeSteps(usage), [usage]);
  const kind = useMemo(
    (): ChartKind => ({
      look: "bars",
      series: [
        { name: "failed", colour: "danger" },
        { name: "refused", colour: "caution" },
        { name: "answered", colour: "accent" },
      ],
      minTop: 4,
      widthMs,
      valueText: axisNumber,
      axisTexts: (times) => axisTexts(range, times),
      tickSeconds: tickSeconds(range),
    }),
    [range, widthMs],
  );
  return (
    <PlotPanel
      title="Requests"
      legend={[
        { name: "answered", drawing: legendMarks.bar },
        { name: "refused", drawing: legendMarks.bar3 },
        { name: "failed", drawing: legendMarks.bar2 },
      ]}
      zoom={zoom}
      plot={
        <ZoomBrush steps={steps} zoom={zoom}>
          <UplotChart
            label={requestsLabel(usage)}
            kind={kind}
            times={times}
            values={stacks}
            height={176}
            tooltipAt={(index) => {
              const bucket = buckets[index];
              if (bucket === undefined) return null;
              return {
                time: bucketText(bucket, widthMs),
                rows: [
                  { name: "answered", value: wholeNumber(answeredCount(bucket)) },
                  { name: "refused", value: wholeNumber(bucket.refused) },
                  { name: "failed", value: wholeNumber(bucket.failed) },
                ],
              };
            }}
          />
        </ZoomBrush>
      }
      table={
        <Table
          caption="Requests, newest first"
          layout="scroll"
          columns={[
            { title: "Time", cell: (bucket) => bucketText(bucket, widthMs) },
            {
              title: "Answered",
              isNumber: true,
              cell: (bucket) => wholeNumber(answeredCount(bucket)),
            },
            { title: "Refused", isNumber: true, cell: ({ refused }) => wholeNumber(refused) },
            { title: "Failed", isNumber: true, cell: ({ failed }) => wholeNumber(failed) },
          ]}
          rows={buckets.toReversed()}
          rowKey={({ start }) => start}
        />
      }
    />
  );
}

const answeredCount = ({ requests, refused, failed }: UsageResponse["buckets"][number]): number =>
  requests - refused - failed;
