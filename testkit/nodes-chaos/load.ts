import { until } from "../until.ts";
import { type Client, createClient, type RequestedJob } from "./clients.ts";
import type { Deployment } from "./deployment.ts";
import { type InjectedFault, injectFaults } from "./faults.ts";
import type { GeneratedPosts } from "./posts.ts";

export type LoadOptions = {
  deployment: Deployment;
  posts: GeneratedPosts;
  jobs: number;
  smallKeys: readonly string[];
  leaseMs: number;
  random: () => number;
  contradict: (what: string) => void;
};

export type LoadOutcome = {
  requestedJobs: readonly RequestedJob[];
  faults: InjectedFault[];
  smallWaitsMs: number[];
};

/** Resolves once all results are collected and the last fault is over. */
export async function runLoad(options: LoadOptions): Promise<LoadOutcome> {
  const { deployment, posts, jobs, smallKeys, leaseMs, random, contradict } = options;
  const requestedJobs: RequestedJob[] = [];
  const smallWaitsMs: number[] = [];
  const jobsPerSmallKey = Math.round(jobs / 20);

  const findClient = (name: string): Client => {
    const key = deployment.keys.get(name)?.token ?? "";
    return createClient({ base: deployment.base, key, name }, posts, contradict);
  };
  const waitForSubmissions = (share: number): Promise<unknown> =>
    until("submissions", () => (requestedJobs.length >= jobs * share ? true : null), 90_000);

  /** Submits all its jobs at once, to dominate the queue. */
  async function runGreedyClient(): Promise<void> {
    const client = findClient("greedy");
    const ownJobs: RequestedJob[] = [];
    await runConcurrently(jobs - smallKeys.length * jobsPerSmallKey, 16, async (turn) => {
      const job = await client.submit(turn % posts.topics);
      ownJobs.push(job);
      requestedJobs.push(job);
    });
    await runConcurrently(ownJobs.length, 8, async (turn) => {
      const job = ownJobs[turn];
      if (job !== undefined) await client.collect(job);
    });
  }

  async function runSmallClient(name: string): Promise<void> {
    const client = findClient(name);
    await waitForSubmissions(1 / 4);
    for (let turn = 0; turn < jobsPerSmallKey; turn += 1) {
      const startMs = performance.now();
      const job = await client.submit((turn * 7) % posts.topics);
      requestedJobs.push(job);
      await client.collect(job);
      smallWaitsMs.push(performance.now() - startMs);
    }
  }

  const faultInjection = waitForSubmissions(1 / 4).then(() =>
    injectFaults({
      targets: deployment.targets,
      gateway: { actor: deployment.gateway, isReady: deployment.waitForGateway },
      leaseMs,
      random,
      jobs,
      countWaiting: () => jobs - (deployment.store.jobCountsByState().get("done") ?? 0),
    }),
  );
  const [faults] = await Promise.all([
    faultInjection,
    runGreedyClient(),
    ...smallKeys.map(runSmallClient),
  ]);
  return { requestedJobs, faults, smallWaitsMs: smallWaitsMs.sort((a, b) => a - b) };
}

async function runConcurrently(
  count: number,
  concurrency: number,
  act: (turn: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const turn = next;
      next += 1;
      await act(turn);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
