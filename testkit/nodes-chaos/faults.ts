import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../until.ts";
import type { NetworkLink } from "./network.ts";
import type { Actor } from "./processes.ts";

export type FaultTarget = {
  actor: Actor;
  link: NetworkLink;
  order(word: "drain" | "approve"): void;
};

export const faultKinds = ["kill", "stop", "cut", "drain", "restart", "gateway"] as const;
type FaultKind = (typeof faultKinds)[number];

/** Times are in seconds from the start. */
export type InjectedFault = { at: number; kind: FaultKind; who: string; waiting: number };

export type FaultOptions = {
  targets: readonly FaultTarget[];
  gateway: { actor: Actor; isReady(): Promise<void> };
  leaseMs: number;
  random: () => number;
  jobs: number;
  waiting: () => number;
};

/**
 * Each fault twice and one gateway crash, in seeded order, at most two at a time. Resolves after the last, or when no
 * job is waiting.
 */
export async function injectFaults(options: FaultOptions): Promise<InjectedFault[]> {
  const { targets, gateway, leaseMs, random, jobs, waiting } = options;
  const started = performance.now();
  const reports: InjectedFault[] = [];
  const busy = new Set<FaultTarget>();
  const between = (min: number, max: number) => min + Math.floor(random() * (max - min));
  const repeatedKinds = faultKinds.filter((kind) => kind !== "gateway");
  const deck = [
    ...shuffled([...repeatedKinds, "gateway" as const], random),
    ...shuffled(repeatedKinds, random),
  ];

  const acts: Record<FaultKind, (target: FaultTarget) => Promise<void>> = {
    kill: async ({ actor }) => {
      await actor.end("SIGKILL");
      await sleep(between(100, 1_500));
      actor.start();
    },
    stop: async ({ actor }) => {
      actor.signal("SIGSTOP");
      await sleep(leaseMs + between(500, 2_000));
      actor.signal("SIGCONT");
    },
    cut: async ({ link }) => {
      link.cut();
      await sleep(between(500, leaseMs + 2_500));
      link.reconnect();
    },
    drain: async ({ order }) => {
      order("drain");
      await sleep(between(200, 1_000));
      order("approve");
    },
    restart: async ({ actor }) => {
      await actor.end("SIGTERM");
      actor.start();
    },
    gateway: async () => {
      await gateway.actor.end("SIGKILL");
      await sleep(between(100, 500));
      gateway.actor.start();
      await gateway.isReady();
    },
  };

  const faultCount = deck.length;

  /** Faults may stop all jobs, so this stops waiting after a timeout. */
  async function waitForProgress(): Promise<void> {
    const isDue = () =>
      jobs - waiting() >= (jobs * reports.length) / (faultCount + 2) ? true : null;
    await until("progress", isDue, 6_000).catch(() => undefined);
  }

  async function lane(): Promise<void> {
    while (waiting() > 0) {
      const kind = deck.shift();
      if (kind === undefined) return;
      await waitForProgress();
      const free = targets.filter((target) => !busy.has(target));
      const target = free[Math.floor(random() * free.length)];
      if (target === undefined) return;
      busy.add(target);
      const at = Math.round((performance.now() - started) / 100) / 10;
      const who = kind === "gateway" ? "gateway" : target.actor.name;
      reports.push({ at, kind, who, waiting: waiting() });
      await acts[kind](target);
      busy.delete(target);
      await sleep(between(500, 2_500));
    }
  }

  await Promise.all([lane(), sleep(700).then(lane)]);
  return reports;
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
