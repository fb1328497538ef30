import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../until.ts";
import type { NetworkLink } from "./network.ts";
import type { Actor } from "./processes.ts";

export type FaultTarget = {
  actor: Actor;
  link: NetworkLink;
  changeState(word: "drain" | "approve"): void;
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
  countWaiting: () => number;
};

/**
 * Each fault twice and one gateway crash, in seeded order, at most two at a time. Resolves after the last, or when no
 * job is waiting.
 */
export async function injectFaults(options: FaultOptions): Promise<InjectedFault[]> {
  const { targets, gateway, leaseMs, random, jobs, countWaiting } = options;
  const startMs = performance.now();
  const reports: InjectedFault[] = [];
  const busyTargets = new Set<FaultTarget>();
  const between = (min: number, max: number) => min + Math.floor(random() * (max - min));
  const repeatedKinds = faultKinds.filter((kind) => kind !== "gateway");
  const deck = [
    ...shuffled([...repeatedKinds, "gateway" as const], random),
    ...shuffled(repeatedKinds, random),
  ];

  const actions: Record<FaultKind, (target: FaultTarget) => Promise<void>> = {
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
    drain: async ({ changeState }) => {
      changeState("drain");
      await sleep(between(200, 1_000));
      changeState("approve");
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
      jobs - countWaiting() >= (jobs * reports.length) / (faultCount + 2) ? true : null;
    await until("progress", isDue, 6_000).catch(() => undefined);
  }

  async function lane(): Promise<void> {
    while (countWaiting() > 0) {
      const kind = deck.shift();
      if (kind === undefined) return;
      await waitForProgress();
      const freeTargets = targets.filter((target) => !busyTargets.has(target));
      const target = freeTargets[Math.floor(random() * freeTargets.length)];
      if (target === undefined) return;
      busyTargets.add(target);
      const at = Math.round((performance.now() - startMs) / 100) / 10;
      const who = kind === "gateway" ? "gateway" : target.actor.name;
      reports.push({ at, kind, who, waiting: countWaiting() });
      await actions[kind](target);
      busyTargets.delete(target);
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
