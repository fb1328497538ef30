import { Counter, collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import type { ThreadLoad } from "../../db/threads/thread.ts";

export type ProcessSources = {
  version: string;
  threads(): readonly (ThreadLoad & { thread: string })[];
  disk(): Promise<{ freeBytes: number; totalBytes: number } | null>;
};

export function addProcessMetrics(registry: Registry, sources: ProcessSources): void {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "earshot_build_info",
    help: "Always 1; the labels identify the version",
    labelNames: ["version", "node"],
    registers,
    collect() {
      this.set({ version: sources.version, node: process.version }, 1);
    },
  });
  new Gauge({
    name: "earshot_thread_waiting_calls",
    help: "Pending calls of a thread",
    labelNames: ["thread"],
    registers,
    collect() {
      for (const { thread, pendingCount } of sources.threads()) this.set({ thread }, pendingCount);
    },
  });
  new Counter({
    name: "earshot_thread_busy_seconds_total",
    help: "Busy time of a thread",
    labelNames: ["thread"],
    registers,
    collect() {
      this.reset();
      for (const { thread, busyMs } of sources.threads()) this.inc({ thread }, busyMs / 1000);
    },
  });
  new Gauge({
    name: "earshot_disk_free_bytes",
    help: "Free bytes on the data folder's disk",
    registers,
    async collect() {
      const disk = await sources.disk();
      if (disk === null) this.remove();
      else this.set(disk.freeBytes);
    },
  });
  new Gauge({
    name: "earshot_disk_bytes",
    help: "Size of the data folder's disk",
    registers,
    async collect() {
      const disk = await sources.disk();
      if (disk === null) this.remove();
      else this.set(disk.totalBytes);
    },
  });
}
