import "./brush.css";
import { type PointerEvent, type ReactNode, useRef, useState } from "preact/compat";

export type TimeStep = { fromMs: number; toMs: number };

/** Pixels; a shorter drag counts as a click. */
const minDrag = 8;

/**
 * Selects a time range on its plot: by dragging, or with the arrow keys (Shift extends) and Enter.
 * The step under the pointer, or the selected range, is described below.
 */
export function Brush({
  window: { fromMs, toMs },
  steps,
  hint,
  describe,
  onSelect,
  children,
}: {
  window: TimeStep;
  /** Oldest first. */
  steps: readonly TimeStep[];
  hint: string;
  /** Null shows the hint. */
  describe(first: number, last: number): string | null;
  onSelect(fromMs: number, toMs: number): void;
  children(current: number | null): ReactNode;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const isExtending = useRef(false);
  const [selection, setSelection] = useState<{ anchor: number; end: number } | null>(null);
  const [drag, setDrag] = useState<{ startX: number; endX: number } | null>(null);
  const last = Math.max(0, steps.length - 1);

  const msAt = (x: number): number => {
    const { left, width } = frameArea(frame.current);
    return fromMs + ((x - left) / Math.max(1, width)) * (toMs - fromMs);
  };
  const xIn = ({ clientX }: PointerEvent<HTMLElement>): number => {
    const { left, right } = frameArea(frame.current);
    return Math.min(right, Math.max(left, clientX));
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const x = xIn(event);
    const index = steps.findIndex((step) => msAt(x) >= step.fromMs && msAt(x) < step.toMs);
    setSelection(index < 0 ? null : { anchor: index, end: index });
    if (drag !== null) setDrag({ ...drag, endX: x });
  };
  const endDrag = () => {
    if (drag === null) return;
    const [left, right] = sortPair(drag.startX, drag.endX);
    setDrag(null);
    if (right - left > minDrag) onSelect(msAt(left), msAt(right));
  };
  const pick = (index: number) =>
    setSelection({
      anchor: isExtending.current && selection !== null ? selection.anchor : index,
      end: index,
    });
  const [from, to] = selection === null ? [last, last] : sortPair(selection.anchor, selection.end);
  const text = selection === null ? null : describe(from, to);
  return (
    <div className="brush">
      <div
        className="brush-plot"
        ref={frame}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ startX: xIn(event), endX: xIn(event) });
        }}
        onPointerMove={move}
        onPointerUp={endDrag}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setSelection(null)}
      >
        {children(selection === null ? null : selection.end)}
        <Mark
          frame={frame.current}
          span={drag === null ? selectedEdges() : sortPair(drag.startX, drag.endX)}
        />
      </div>
      <input
        className="brush-cursor"
        type="range"
        min={0}
        max={last}
        value={selection?.end ?? last}
        aria-label="Select a time range"
        aria-valuetext={text ?? hint}
        onFocus={() =>
          setSelection({ anchor: selection?.anchor ?? last, end: selection?.end ?? last })
        }
        onBlur={() => setSelection(null)}
        onChange={({ currentTarget }) => pick(Number(currentTarget.value))}
        onKeyDown={({ key, shiftKey }) => {
          isExtending.current = shiftKey;
          const [first, end] = [steps[from], steps[to]];
          if (key === "Enter" && first && end) onSelect(first.fromMs, end.toMs);
        }}
      />
      <p className="brush-reading" aria-hidden="true">
        {text ?? hint}
      </p>
    </div>
  );

  /** In pixels; null unless several steps are selected. */
  function selectedEdges(): [number, number] | null {
    if (selection === null || from === to) return null;
    const { left, width } = frameArea(frame.current);
    const xAt = (ms: number) => left + ((ms - fromMs) / Math.max(1, toMs - fromMs)) * width;
    return [xAt(steps[from]?.fromMs ?? fromMs), xAt(steps[to]?.toMs ?? toMs)];
  }
}

function Mark({ frame, span }: { frame: HTMLElement | null; span: [number, number] | null }) {
  if (frame === null || span === null) return null;
  const box = frame.getBoundingClientRect();
  const area = frameArea(frame);
  return (
    <div
      className="brush-mark"
      style={{
        left: span[0] - box.left,
        width: span[1] - span[0],
        top: area.top - box.top,
        height: area.height,
      }}
    />
  );
}

/** The plot without its axes. */
function frameArea(frame: HTMLElement | null): DOMRect {
  const plotElements = [...(frame?.querySelectorAll(".u-over, svg[role=img]") ?? [])];
  const { left, top, width } = plotElements[0]?.getBoundingClientRect() ?? new DOMRect();
  const { bottom } = plotElements.at(-1)?.getBoundingClientRect() ?? new DOMRect();
  return new DOMRect(left, top, width, bottom - top);
}

const sortPair = (a: number, b: number): [number, number] => (a < b ? [a, b] : [b, a]);
