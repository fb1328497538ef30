/** `timeUs`: Unix microseconds by the clock of `host`. */
export type JetstreamPosition = { timeUs: number; host: string | null };

export const isLaterPosition = (
  position: JetstreamPosition,
  reference: JetstreamPosition,
): boolean => position.timeUs > reference.timeUs;

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
  const appliedOverlapMs = isSameServer ? overlapMs : Math.max(overlapMs, otherServerOverlapMs);
  return position.timeUs - appliedOverlapMs * 1000;
}

const maxDisorderMs = 1_000;

/**
 * Errs towards counting twice, so that counts are never too low: events at the position, or up to
 * `maxDisorderMs` before it, are counted again. Times of other servers are not comparable, so their
 * whole overlap is counted again.
 */
export function isCountedBefore(
  savedPosition: JetstreamPosition | null,
  event: { timeUs: number },
  server: string,
): boolean {
  if (savedPosition === null || savedPosition.host !== server) return false;
  return event.timeUs < savedPosition.timeUs - maxDisorderMs * 1000;
}
