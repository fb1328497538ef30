import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import type { CuttingProxy } from "../../testkit/service/cutting-proxy.ts";
import type { JetstreamProcess } from "../../testkit/upstreams/jetstream-process.ts";
import type { Earshot } from "./earshot.ts";

export type Disturbance = {
  step(): void;
  /** Restarts Earshot and returns the count of each kind. */
  settle(): Promise<ReadonlyMap<string, number>>;
};

export function startDisturbance(
  draw: Draw,
  targets: {
    earshot: Earshot;
    jetstream: JetstreamProcess;
    proxies: readonly CuttingProxy[];
  },
): Disturbance {
  const { earshot, jetstream, proxies } = targets;
  const counts = new Map<string, number>();
  let lastAction: Promise<void> = Promise.resolve();
  let stepsUntilStart = 0;
  const actions = {
    nothing: async () => {},
    cut: async () => draw.pick(proxies).cut(),
    kill: earshot.kill,
    stop: earshot.stop,
    restartJetstream,
  };
  const weights = {
    nothing: 90,
    cut: 5,
    kill: 2.5,
    stop: 1.5,
    restartJetstream: 0.8,
  };

  /** SIGKILL makes Jetstream lose events; see jetstream-killed.test.ts. */
  async function restartJetstream(): Promise<void> {
    await jetstream.end("SIGTERM");
    await jetstream.start();
  }

  function begin(kind: keyof typeof actions): void {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    lastAction = lastAction.then(actions[kind]);
  }

  return {
    step: () => {
      if (stepsUntilStart > 0) {
        stepsUntilStart -= 1;
        if (stepsUntilStart === 0) lastAction = lastAction.then(earshot.start);
        return;
      }
      const kind = draw.pickWeighted(weights);
      if (kind === "nothing") return;
      begin(kind);
      if (kind === "kill" || kind === "stop") stepsUntilStart = 1 + draw.below(6);
    },
    settle: async () => {
      lastAction = lastAction.then(earshot.start);
      await lastAction;
      return counts;
    },
  };
}
