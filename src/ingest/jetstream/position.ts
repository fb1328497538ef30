/** `timeUs`: Unix microseconds by the clock of `host`. */
export type JetstreamPosition = { timeUs: number; host: string | null };

export const isLaterPosition = (position: JetstreamPosition, than: JetstreamPosition): boolean =>
  position.timeUs > than.timeUs;

export function readJetstreamPosition(checkpoint: string | null): JetstreamPosition | null {
  if (checkpoint === null) return null;
  const { timeUs, host }: { timeUs?: unknown; host?: unknown } = JSON.parse(checkpoint);
  if (!Number.isSafeInteger(timeUs)) return null;
  return { timeUs: Number(timeUs), host: typeof host === "string" ? host : null };
}

/** The overlap for other servers, whose clocks differ. */
const otherServerOverlapMs = 60_000;

/** The position less an overlap, in Unix microseconds. */
export function resumeUs(position: JetstreamPosition, server: string, overlapMs: number): number {
  const isSameServer = position.host === server;
  const backMs = isSameServer ? overlapMs : Math.max(overlapMs, otherServerOverlapMs);
  return position.timeUs - backMs * 1000;
}

const maxDisorderMs = 1_000;

/**
 * Errs towards counting twice, so that counts are never too low: events at the position, or up to
 * `maxDisorderMs` before it, are counted again. Times of other servers are not comparable, so their
 * whole overlap is counted again.
 */
export function isCountedBefore(
  saved: JetstreamPosition | null,
  event: { timeUs: number },
  server: string,
): boolean {
  if (saved === null || saved.host !== server) return false;
  return event.timeUs < saved.timeUs - maxDisorderMs * 1000;
}
