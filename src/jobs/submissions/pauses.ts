import type { Clock } from "../../lib/clock.ts";

export type Pauses = {
  begin(name: string): void;
  beginFor(name: string, ms: number): void;
  reset(name: string): void;
  isPaused(name: string): boolean;
};

export function createPauses(
  { elapsed }: Pick<Clock, "elapsed">,
  { minMs, maxMs }: { minMs: number; maxMs: number },
): Pauses {
  const pauses = new Map<string, { ms: number; endMs: number }>();

  function beginFor(name: string, ms: number): void {
    pauses.set(name, { ms, endMs: elapsed() + ms });
  }

  const isPaused = (name: string): boolean => elapsed() < (pauses.get(name)?.endMs ?? 0);

  return {
    begin: (name) => {
      const lastMs = pauses.get(name)?.ms ?? 0;
      beginFor(name, Math.min(maxMs, Math.max(minMs, 2 * lastMs)));
    },
    beginFor,
    reset: (name) => {
      if (!isPaused(name)) pauses.delete(name);
    },
    isPaused,
  };
}
