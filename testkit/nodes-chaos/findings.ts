import { isCorrectResult, type RequestedJob } from "./clients.ts";
import type { Deployment } from "./deployment.ts";
import type { GeneratedPosts } from "./posts.ts";
import type { StoreFindings } from "./report.ts";
import { countOtherLeases } from "./turns.ts";

export function findings(
  deployment: Deployment,
  {
    requestedJobs,
    posts,
    smallKeys,
    contradict,
  }: {
    requestedJobs: readonly RequestedJob[];
    posts: GeneratedPosts;
    smallKeys: readonly string[];
    contradict: (what: string) => void;
  },
): StoreFindings {
  const changes = deployment.store.changes();
  const doneCounts = new Map<string, number>();
  const leaseCounts = new Map<string, number>();
  const doneByNode = new Map<string, number>();
  const increment = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);
  const leaseholders = new Map<string, string | null>();
  for (const { uuid, state, node, signer } of changes) {
    if (state === "in progress") {
      increment(leaseCounts, uuid);
      leaseholders.set(uuid, node);
    }
    if (state !== "done") continue;
    increment(doneCounts, uuid);
    increment(doneByNode, node ?? "none");
    const leaseholder = leaseholders.get(uuid);
    if (leaseholder !== node || leaseholder !== signer) {
      contradict(`${uuid} was leased by ${leaseholder}, done by ${node} and signed by ${signer}`);
    }
  }
  const resultCounts = deployment.store.resultCounts();
  for (const job of requestedJobs) {
    const { uuid } = job;
    if (doneCounts.get(uuid) !== 1)
      contradict(`${uuid} was done ${doneCounts.get(uuid) ?? 0} times`);
    if (resultCounts.get(uuid) !== 1)
      contradict(`${uuid} has ${resultCounts.get(uuid) ?? 0} results`);
    if (!isCorrectResult(job, posts))
      contradict(`${uuid} has the result ${job.result?.slice(0, 300)}`);
  }
  return {
    jobs: requestedJobs.length,
    distinct: new Set(requestedJobs.map(({ uuid }) => uuid)).size,
    states: Object.fromEntries(deployment.store.jobCountsByState()),
    leasedAgain: [...leaseCounts.values()].filter((count) => count > 1).length,
    byNode: Object.fromEntries(doneByNode),
    fairness: smallKeys.map((key) => {
      const waits = countOtherLeases(changes, deployment.keys.get(key)?.id ?? "");
      return { key, jobs: waits.length, most: Math.max(...waits) };
    }),
  };
}
