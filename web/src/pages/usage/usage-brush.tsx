import type { ReactNode } from "react";
import { Brush } from "../../components/brush.tsx";
import { bucketText } from "./buckets.ts";
import { type ShownUsage, stepsOf } from "./selection.ts";

export function UsageBrush({
  usage,
  onSelect,
  children,
}: {
  usage: ShownUsage;
  onSelect(fromMs: number, toMs: number): void;
  children: ReactNode;
}) {
  const { buckets, bucket_ms: widthMs } = usage;
  const steps = stepsOf(usage);
  const window = { fromMs: steps[0]?.fromMs ?? 0, toMs: steps.at(-1)?.toMs ?? 0 };
  return (
    <Brush
      window={window}
      steps={steps}
      hint="Drag over the plot to show a part of the time."
      describe={(first, last) => {
        const bucket = buckets[first];
        return bucket === undefined ? null : bucketText(bucket, (last - first + 1) * widthMs);
      }}
      onSelect={onSelect}
    >
      {() => children}
    </Brush>
  );
}
