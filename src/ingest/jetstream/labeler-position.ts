import type { LabelChange } from "../../platforms/bluesky/label.ts";
import type { LabelerSettings } from "./labeler-settings.ts";

/** The last frame of a labeler, by the labeler's own number, and the latest time that came until then. */
export type LabelerPosition = { seq: number; timeMs: number };

export const isLaterFrame = (place: LabelerPosition, than: LabelerPosition): boolean =>
  place.seq > than.seq;

/** A saved place; null when there is none. */
export function readLabelerPosition(checkpoint: string | null): LabelerPosition | null {
  if (checkpoint === null) return null;
  const { seq, timeMs }: { seq?: unknown; timeMs?: unknown } = JSON.parse(checkpoint);
  if (!Number.isSafeInteger(seq) || !Number.isFinite(timeMs)) return null;
  return { seq: Number(seq), timeMs: Number(timeMs) };
}

/**
 * The address to connect to, to go on behind a frame. A labeler tells all it ever said to whoever asks for frame 0: with the
 * network's own that is tens of millions of labels, nearly all on posts that are not held. So the very first connection
 * begins with what is said from then on, unless it is told otherwise; the coverage says since when labels are held.
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

/** When a frame was made, as far as its labels tell; null where none does. */
export function timeOfLabels(labels: readonly LabelChange[]): number | null {
  let latest: number | null = null;
  for (const { createdMs } of labels) latest = Math.max(latest ?? createdMs, createdMs);
  return latest;
}
