import { type ReactNode, useState } from "preact/compat";
import { Brush, type TimeStep } from "./brush.tsx";
import { Button } from "./button.tsx";
import { timesText } from "./time.tsx";

export type Zoom = {
  /** Null shows the whole range. */
  selected: TimeStep | null;
  select(part: TimeStep): void;
  reset(): void;
};

/** `moveFocus` is called after a reset, which removes the focused button. */
export function useZoom(moveFocus: () => void): Zoom {
  const [selected, select] = useState<TimeStep | null>(null);
  return {
    selected,
    select,
    reset: () => {
      select(null);
      moveFocus();
    },
  };
}

export function ZoomBrush({
  steps,
  zoom,
  children,
}: {
  /** Oldest first. Together they fill the plot. */
  steps: readonly TimeStep[];
  zoom: Zoom;
  children: ReactNode;
}) {
  return (
    <Brush
      window={{ fromMs: steps[0]?.fromMs ?? 0, toMs: steps.at(-1)?.toMs ?? 0 }}
      steps={steps}
      hint="Drag across the plot to zoom in on a time range."
      describe={(first, last) => {
        const [from, to] = [steps[first], steps[last]];
        return from && to ? timesText(from.fromMs, to.toMs) : null;
      }}
      onSelect={(fromMs, toMs) => {
        const overlapping = steps.filter((step) => step.fromMs < toMs && step.toMs > fromMs);
        const [first, last] = [overlapping[0], overlapping.at(-1)];
        if (first && last) zoom.select({ fromMs: first.fromMs, toMs: last.toMs });
      }}
    >
      {() => children}
    </Brush>
  );
}

export function WholeRange({ zoom }: { zoom: Zoom }) {
  if (zoom.selected === null) return null;
  return (
    <Button variant="plain" size="small" onClick={zoom.reset}>
      Whole range
    </Button>
  );
}
