import { Counter, Gauge, type Registry } from "prom-client";
import type { Clock } from "../../lib/clock.ts";

/** Read at each scrape; null while the component is off. */
export type StateMetrics<State> = {
  gauge(name: string, help: string, value: (state: State) => number | null): void;
  counter(name: string, help: string, value: (state: State) => number): void;
};

export function stateMetrics<State>(
  registry: Registry,
  getState: () => State | null,
): StateMetrics<State> {
  const registers = [registry];
  return {
    gauge: (name, help, value) => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const state = getState();
          const reading = state === null ? null : value(state);
          if (reading === null) this.remove();
          else this.set(reading);
        },
      });
    },
    counter: (name, help, value) => {
      new Counter({
        name,
        help,
        registers,
        collect() {
          const state = getState();
          this.reset();
          this.inc(state === null ? 0 : value(state));
        },
      });
    },
  };
}

/** The store's sums are too costly for each scrape. */
const maxAgeMs = 10_000;

/** Keeps the last value if the store does not respond. */
export function addStoreGauge(
  registry: Registry,
  { name, help, value }: { name: string; help: string; value: () => Promise<number> },
  clock: Pick<Clock, "elapsed">,
): void {
  let readAtMs = Number.NEGATIVE_INFINITY;
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const nowMs = clock.elapsed();
      if (nowMs - readAtMs < maxAgeMs) return;
      const reading = await value().catch(() => null);
      if (reading === null) return;
      this.set(reading);
      readAtMs = nowMs;
    },
  });
}
