/** Unix microseconds by the clock of `host`. */
export type JetstreamPosition = { timeUs: number; host: string | null };

export const isLaterPosition = (position: JetstreamPosition, than: JetstreamPosition): boolean =>
  position.timeUs > than.timeUs;

export function readJetstreamPosition(checkpoint: string | null): JetstreamPosition | null {
  if (checkpoint === null) return null;
  const { timeUs, host }: { timeUs?: unknown; host?: unknown } = JSON.parse(checkpoint);
  if (!Number.isSafeInteger(timeUs)) return null;
  return { timeUs: Number(timeUs), host: typeof host === "string" ? host : null };
}

/** Server clocks differ. */
const otherServerOverlapMs = 60_000;

/** Less an overlap, Unix microseconds. */
export function resumeUs(position: JetstreamPosition, server: string, overlapMs: number): number {
  const isSameServer = position.host === server;
  const backMs = isSameServer ? overlapMs : Math.max(overlapMs, otherServerOverlapMs);
  return position.timeUs - backMs * 1000;
}

const maxDisorderMs = 1_000;

/**
 * Errs towards counting twice, so that counts are never too low: events at the position, or before
 * it by up to the disorder, count again. Another server's times are not comparable, so its whole
 * overlap counts again.
 */
export function isCountedBefore(
  saved: JetstreamPosition | null,
  event: { timeUs: number },
  server: string,
): boolean {
  if (saved === null || saved.host !== server) return false;
  return event.timeUs < saved.timeUs - maxDisorderMs * 1000;
}
