import type { LabelChange } from "../../platforms/bluesky/label.ts";
import type { LabelerSettings } from "./labeler-settings.ts";

export type LabelerPosition = { seq: number; timeMs: number };

export const isLaterFrame = (position: LabelerPosition, reference: LabelerPosition): boolean =>
  position.seq > reference.seq;

export function readLabelerPosition(checkpoint: string | null): LabelerPosition | null {
  if (checkpoint === null) return null;
  const { seq, timeMs }: { seq?: unknown; timeMs?: unknown } = JSON.parse(checkpoint);
  if (!Number.isSafeInteger(seq) || !Number.isFinite(timeMs)) return null;
  return { seq: Number(seq), timeMs: Number(timeMs) };
}

/**
 * From frame 0, a labeler sends its whole history: tens of millions of labels, nearly all on posts
 * that are not archived. So by default the first connection starts with new labels.
 */
export function labelerUrl(
  address: string,
  seq: number | null,
  start: LabelerSettings["start"],
): URL {
  const url = new URL(address);
  if (seq !== null) url.searchParams.set("cursor", String(seq));
  else if (start === "beginning") url.searchParams.set("cursor", "0");
  return url;
}

export function labelsTime(labels: readonly LabelChange[]): number | null {
  let latestMs: number | null = null;
  for (const { createdMs } of labels) latestMs = Math.max(latestMs ?? createdMs, createdMs);
  return latestMs;
}
