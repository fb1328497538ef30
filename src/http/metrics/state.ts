import { Counter, Gauge, type Registry } from "prom-client";
import type { Clock } from "../../lib/clock.ts";

/** What tells of a part of the process by its state at the time of a look; null while it is off. */
export type StateMetrics<State> = {
  /** Absent while it is off, and where `value` is null. */
  gauge(name: string, help: string, value: (state: State) => number | null): void;
  /** 0 while it is off. */
  counter(name: string, help: string, value: (state: State) => number): void;
};

export function stateMetrics<State>(
  registry: Registry,
  stateNow: () => State | null,
): StateMetrics<State> {
  const registers = [registry];
  return {
    gauge: (name, help, value) => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const state = stateNow();
          const known = state === null ? null : value(state);
          if (known === null) this.remove();
          else this.set(known);
        },
      });
    },
    counter: (name, help, value) => {
      new Counter({
        name,
        help,
        registers,
        collect() {
          const state = stateNow();
          this.reset();
          this.inc(state === null ? 0 : value(state));
        },
      });
    },
  };
}

/** The store adds up what is asked for, which is not done for each look. */
const freshMs = 10_000;

/** A gauge of what the store is asked for, once in ten seconds at most. Where it does not answer, what it told last stays. */
export function addStoreGauge(
  registry: Registry,
  { name, help, value }: { name: string; help: string; value: () => Promise<number> },
  clock: Pick<Clock, "elapsed">,
): void {
  let askedMs = Number.NEGATIVE_INFINITY;
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const nowMs = clock.elapsed();
      if (nowMs - askedMs < freshMs) return;
      // A store that does not answer is no reason to tell nothing else.
      const known = await value().catch(() => null);
      if (known === null) return;
      this.set(known);
      askedMs = nowMs;
    },
  });
}
