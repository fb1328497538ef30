/** A time, Unix microseconds, by the clock of the host that told it; null where that is not known. */
export type JetstreamPosition = { timeUs: number; host: string | null };

export const isLaterPosition = (place: JetstreamPosition, than: JetstreamPosition): boolean =>
  place.timeUs > than.timeUs;

/** A saved place; null when there is none. */
export function readJetstreamPosition(checkpoint: string | null): JetstreamPosition | null {
  if (checkpoint === null) return null;
  const { timeUs, host }: { timeUs?: unknown; host?: unknown } = JSON.parse(checkpoint);
  if (!Number.isSafeInteger(timeUs)) return null;
  return { timeUs: Number(timeUs), host: typeof host === "string" ? host : null };
}

/** The least overlap with what another server told: by so much their clocks may differ. */
const otherServerOverlapMs = 60_000;

/** The time to ask a server for, Unix microseconds: a place, less an overlap. */
export function resumeUs(place: JetstreamPosition, server: string, overlapMs: number): number {
  const isSame = place.host === server;
  const backMs = isSame ? overlapMs : Math.max(overlapMs, otherServerOverlapMs);
  return place.timeUs - backMs * 1000;
}

/** A server may send events so far out of the order of their times: thirty times what was seen of the public ones. */
const mostDisorderMs = 1_000;

/**
 * Whether what an event adds to the counts of posts is on disk since an earlier run, whose last place was `saved`. A post's
 * counts are never too low for a restart: what lies at the place, or so shortly before it that it may have come behind it, is
 * taken again and may then be counted twice. The clock of another server says nothing, so all of its overlap is taken again.
 */
export function isCountedBefore(
  saved: JetstreamPosition | null,
  event: { timeUs: number },
  server: string,
): boolean {
  if (saved === null || saved.host !== server) return false;
  return event.timeUs < saved.timeUs - mostDisorderMs * 1000;
}
