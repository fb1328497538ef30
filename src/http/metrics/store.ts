import { Gauge, Histogram, type Registry } from "prom-client";

export function addStoreMetrics(registry: Registry, isFull: () => boolean) {
  const registers = [registry];
  new Gauge({
    name: "earshot_store_full",
    help: "Whether the control store is read-only because the disk is full",
    registers,
    collect() {
      this.set(Number(isFull()));
    },
  });
  return {
    storeWriteSeconds: new Histogram({
      name: "earshot_store_write_seconds",
      help: "Time from a write of the control store to its commit",
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
  };
}
