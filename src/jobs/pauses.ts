import type { Clock } from "../lib/clock.ts";

export type Pauses = { add(name: string, ms: number): void; isPaused(name: string): boolean };

export function createPauses({ elapsed }: Pick<Clock, "elapsed">): Pauses {
  const endsMs = new Map<string, number>();
  return {
    add: (name, ms) => endsMs.set(name, elapsed() + ms),
    isPaused: (name) => {
      const endMs = endsMs.get(name);
      if (endMs === undefined) return false;
      if (elapsed() < endMs) return true;
      endsMs.delete(name);
      return false;
    },
  };
}
