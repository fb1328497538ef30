import fc from "fast-check";
import { expect, test } from "vitest";
import { complete } from "./answers.test-support.ts";
import { failedCheck, startTestGateway, type TestGateway } from "./gateway.test-support.ts";
import {
  attest,
  leaseJob,
  makeNode,
  makeNodeSession,
  type OpenedJob,
  openEnvelope,
  type TestNode,
} from "./node.test-support.ts";

/**
 * Only a node's latest run gets work, and only while attested and approved; only the lease holder
 * can answer it.
 */
type Step =
  | { kind: "start" | "leave" | "lease" | "complete" | "attest"; run: number }
  | { kind: "approved" | "draining" | "removed"; node: number }
  | { kind: "lose" | "pass" | "restart" | "job" };

const attestationMs = 60_000;
const concurrency = 2;

const weighted = <Kind extends string>(weights: Record<Kind, number>) =>
  fc.oneof(
    ...Object.entries<number>(weights).map(([kind, weight]) => ({
      weight,
      arbitrary: fc.constant(kind),
    })),
  );

const runSteps = fc.record({
  kind: weighted({ start: 1, leave: 1, lease: 6, complete: 4, attest: 4 }),
  run: fc.nat(7),
});
const nodeSteps = fc.record({
  kind: weighted({ approved: 6, draining: 2, removed: 1 }),
  node: fc.nat(1),
});
const gatewaySteps = fc.record({ kind: weighted({ job: 6, lose: 1, pass: 1, restart: 1 }) });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 7, arbitrary: runSteps },
    { weight: 1, arbitrary: nodeSteps },
    { weight: 2, arbitrary: gatewaySteps },
  ),
  { minLength: 20, maxLength: 40 },
) as fc.Arbitrary<Step[]>;

const initialSteps: readonly Step[] = [
  { kind: "start", run: 0 },
  { kind: "start", run: 1 },
  { kind: "approved", node: 0 },
  { kind: "approved", node: 1 },
  { kind: "start", run: 0 },
  { kind: "start", run: 1 },
  { kind: "job" },
  { kind: "job" },
  { kind: "job" },
];

type Run = { node: TestNode; nodeIndex: number; leased: OpenedJob[]; isReplaced: boolean };
type NodeModel = {
  state: "pending" | "approved" | "draining" | "removed" | null;
  current: Run | null;
  untilMs: number;
};

test("only attested runs get work, and a run can answer the jobs that it leases", async () => {
  let leases = 0;
  const property = fc.asyncProperty(steps, async (randomSteps) => {
    const service = await startTestGateway({ attestationMs, dispatchesPerSecond: 1_000 });
    const model = await createModel(service);
    for (const step of [...initialSteps, ...randomSteps]) {
      await model.apply(step);
      await service.clock.advance(1_000);
      model.check();
    }
    leases += model.leases();
    await service.close();
  });
  await fc.assert(property, {
    numRuns: 20,
    seed: 20_261_122,
    endOnFailure: true,
  });
  expect(leases).toBeGreaterThan(30);
});

async function createModel(service: TestGateway) {
  const testNodes = await Promise.all([makeNode({ concurrency }), makeNode({ concurrency })]);
  const nodes: NodeModel[] = testNodes.map(() => ({ state: null, current: null, untilMs: 0 }));
  const runs: Run[] = testNodes.map((node, nodeIndex) => ({
    node,
    nodeIndex,
    leased: [],
    isReplaced: false,
  }));
  let leases = 0;

  const getNode = (run: Run): NodeModel => nodes[run.nodeIndex] as NodeModel;
  const isCurrent = (run: Run): boolean => getNode(run).current === run;
  const isLive = (run: Run): boolean =>
    isCurrent(run) && service.clock.elapsed() < getNode(run).untilMs;
  const queuedCount = () =>
    service.queue.jobs().filter(({ lease, result }) => lease === null && result === null).length;

  function dropLeases(nodeIndex: number): void {
    for (const run of runs) if (run.nodeIndex === nodeIndex) run.leased = [];
  }

  async function attestRun(run: Run): Promise<void> {
    const node = getNode(run);
    const outcome = await failedCheck(() => attest(service, run.node));
    if (node.state === "removed") expect(outcome).toBe("node_refused node_removed");
    else if (run.isReplaced) expect(outcome).toBe("node_refused superseded");
    else expect(outcome).toBe("nothing failed");
    if (outcome !== "nothing failed") return;
    node.state ??= "pending";
    if (node.state === "pending") return;
    if (node.current !== null && node.current !== run) {
      node.current.isReplaced = true;
      dropLeases(run.nodeIndex);
    }
    node.current = run;
    node.untilMs = Math.max(node.untilMs, service.clock.elapsed() + attestationMs);
  }

  async function lease(run: Run): Promise<void> {
    const isExpected =
      getNode(run).state === "approved" && run.leased.length < concurrency && queuedCount() > 0;
    if (!isLive(run)) {
      const check = isCurrent(run) ? "attestation_ended" : "unknown_key";
      expect(await failedCheck(() => leaseJob(service, run.node))).toBe(
        `node_unauthorized ${check}`,
      );
      return;
    }
    const envelope = await leaseJob(service, run.node);
    expect(envelope !== null).toBe(isExpected);
    if (envelope === null) return;
    run.leased.push(await openEnvelope(service, run.node, envelope));
    leases += 1;
  }

  async function completeNext(run: Run): Promise<void> {
    const job = run.leased.shift();
    if (job === undefined) {
      const session = await failedCheck(() => makeNodeSession(service, run.node, "complete"));
      expect(session === "nothing failed").toBe(isLive(run));
      return;
    }
    await complete(service, run.node, job);
    const { result } = service.queue.job(job.envelope.job);
    expect(result?.signature).toMatchObject({ nodeId: run.node.id, keyId: run.node.keyId });
  }

  async function change(
    nodeIndex: number,
    state: "approved" | "draining" | "removed",
  ): Promise<void> {
    const node = nodes[nodeIndex] as NodeModel;
    const id = testNodes[nodeIndex]?.id ?? "";
    const outcome = await failedCheck(() => service.change(id, state));
    if (outcome !== "nothing failed") return;
    node.state = state;
    if (state !== "removed") return;
    node.current = null;
    dropLeases(nodeIndex);
  }

  function getRun(number: number): Run {
    const current = number % 2 === 0 ? (nodes[(number / 2) % 2]?.current ?? null) : null;
    return current ?? (runs[number % runs.length] as Run);
  }

  async function apply(step: Step): Promise<void> {
    if ("node" in step) return await change(step.node, step.kind);
    if (!("run" in step)) return await applyEvent(step.kind);
    const run = getRun(step.run);
    switch (step.kind) {
      case "start": {
        const { identity } = run.node;
        const newNode = await makeNode({ identity, concurrency });
        runs.push({ node: newNode, nodeIndex: run.nodeIndex, leased: [], isReplaced: false });
        return await attestRun(runs.at(-1) as Run);
      }
      case "attest":
        return await attestRun(run);
      case "leave":
        if (!isLive(run)) return;
        await service.gateway.leave(makeNodeSession(service, run.node, "leave"));
        getNode(run).current = null;
        getNode(run).untilMs = 0;
        return dropLeases(run.nodeIndex);
      case "lease":
        return await lease(run);
      case "complete":
        return await completeNext(run);
    }
  }

  async function applyEvent(kind: "lose" | "pass" | "restart" | "job"): Promise<void> {
    if (kind === "job") service.queue.add();
    else if (kind === "pass") await service.clock.advance(attestationMs / 2);
    else if (kind === "lose") {
      const lostJob = runs.find((run) => run.leased.length > 0)?.leased.shift();
      if (lostJob !== undefined) service.queue.loseLease(lostJob.envelope.job);
    } else {
      await service.restart();
      for (const run of runs) Object.assign(run, { leased: [], isReplaced: false });
      for (const node of nodes) Object.assign(node, { current: null, untilMs: 0 });
    }
  }

  function check(): void {
    for (const [nodeIndex, { current, state }] of nodes.entries()) {
      const id = testNodes[nodeIndex]?.id ?? "";
      const leasedCount = runs
        .filter((run) => run.nodeIndex === nodeIndex)
        .reduce((sum, run) => sum + run.leased.length, 0);
      expect(service.queue.countRunning(id)).toBe(leasedCount);
      const view = service.gateway.nodes().find((node) => node.id === id);
      const isReported = state !== null && state !== "removed";
      expect(view?.state ?? null).toBe(isReported ? state : null);
      expect(view?.keyId ?? null).toBe(isReported ? (current?.node.keyId ?? null) : null);
    }
  }

  return { apply, check, leases: () => leases };
}
