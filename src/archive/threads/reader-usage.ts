/** Decays with a half-life of ten seconds. */
export type ReaderUsage = {
  usedMs(account: string, nowMs: number): number;
  use(account: string, tookMs: number, nowMs: number): void;
};

const halfLifeMs = 10_000;
const pruneAbove = 1_000;
const negligibleMs = 0.01;

export function createReaderUsage(): ReaderUsage {
  const used = new Map<string, { ms: number; atMs: number }>();

  function usedMs(account: string, nowMs: number): number {
    const known = used.get(account);
    return known === undefined ? 0 : known.ms * 0.5 ** ((nowMs - known.atMs) / halfLifeMs);
  }

  function use(account: string, tookMs: number, nowMs: number): void {
    used.set(account, { ms: usedMs(account, nowMs) + tookMs, atMs: nowMs });
    if (used.size <= pruneAbove) return;
    for (const text of used.keys()) if (usedMs(text, nowMs) < negligibleMs) used.delete(text);
  }

  return { usedMs, use };
}
