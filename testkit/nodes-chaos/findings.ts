import { isCorrectResult, type RequestedJob } from "./clients.ts";
import type { Deployment } from "./deployment.ts";
import type { GeneratedPosts } from "./posts.ts";
import type { StoreFindings } from "./report.ts";
import { countOtherLeases } from "./turns.ts";

export function findings(
  deployment: Deployment,
  {
    requested,
    posts,
    smallKeys,
    contradict,
  }: {
    requested: readonly RequestedJob[];
    posts: GeneratedPosts;
    smallKeys: readonly string[];
    contradict: (what: string) => void;
  },
): StoreFindings {
  const changes = deployment.store.changes();
  const done = new Map<string, number>();
  const leases = new Map<string, number>();
  const byNode = new Map<string, number>();
  const increment = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);
  const leaseholders = new Map<string, string | null>();
  for (const { uuid, state, node, signer } of changes) {
    if (state === "in progress") {
      increment(leases, uuid);
      leaseholders.set(uuid, node);
    }
    if (state !== "done") continue;
    increment(done, uuid);
    increment(byNode, node ?? "none");
    const leaseholder = leaseholders.get(uuid);
    if (leaseholder !== node || leaseholder !== signer) {
      contradict(`${uuid} was leased by ${leaseholder}, done by ${node} and signed by ${signer}`);
    }
  }
  const resultCounts = deployment.store.resultCounts();
  for (const job of requested) {
    const { uuid } = job;
    if (done.get(uuid) !== 1) contradict(`${uuid} was done ${done.get(uuid) ?? 0} times`);
    if (resultCounts.get(uuid) !== 1)
      contradict(`${uuid} has ${resultCounts.get(uuid) ?? 0} results`);
    if (!isCorrectResult(job, posts))
      contradict(`${uuid} has the result ${job.result?.slice(0, 300)}`);
  }
  return {
    jobs: requested.length,
    distinct: new Set(requested.map(({ uuid }) => uuid)).size,
    states: Object.fromEntries(deployment.store.jobCountsByState()),
    leasedAgain: [...leases.values()].filter((count) => count > 1).length,
    byNode: Object.fromEntries(byNode),
    fairness: smallKeys.map((key) => {
      const waited = countOtherLeases(changes, deployment.keys.get(key)?.id ?? "");
      return { key, jobs: waited.length, most: Math.max(...waited) };
    }),
  };
}
