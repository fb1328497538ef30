import { makeRunKeys } from "../../src/remote/protocol/keys.ts";
import { failureBytes } from "../../src/remote/protocol/texts.ts";
import { enrolmentTokenIn } from "../nodes/enrolment-token.ts";
import { encryptForGateway, makeItem, nodeAt, type StoredJob } from "../nodes/hand-driven-node.ts";
import { until } from "../until.ts";
import { setNodeState } from "./operator.ts";
import type { ByzantineReport } from "./report.ts";

type GatewayResponse = { statusCode: number; body: string };
type DrivenNode = Awaited<ReturnType<typeof nodeAt<GatewayResponse>>>;

const wrongPost = makeItem(5n << 20n, 5, "about something else");

/** Misbehaviour that the gateway or other nodes can detect; returns the response status. */
const misbehaviours: Readonly<
  Record<string, (node: DrivenNode, job: StoredJob) => Promise<number>>
> = {
  "posts that do not match": async (node, job) =>
    (await node.complete(job, node.signAnswer(job, [wrongPost]))).statusCode,
  "a signature of another key": async (node, job) =>
    (await node.complete(job, node.signAnswer(job, [], await makeRunKeys()))).statusCode,
  "the answer of another job": async (node, job) => {
    const envelope = { ...job.envelope, job: "0f8fad5b-d9cb-469f-a165-70867728950e" };
    const { fields, ...answer } = node.signAnswer(job, []);
    const otherAnswer = node.signAnswer({ ...job, envelope }, []);
    return (await node.complete(job, { ...answer, fields: otherAnswer.fields })).statusCode;
  },
  "a query error": async (node, job) => {
    const failure = { code: "invalid_query", message: "no", status: 400, retryable: false };
    return (await node.post("fail", encryptForGateway(job, failureBytes(failure)))).statusCode;
  },
};

/** Starts one node per fault and resolves once all have been admitted. */
export async function startByzantineNodes(gatewayDir: string, base: string) {
  const stopping = new AbortController();
  const send = async (url: string, headers: Record<string, string>, body: string) => {
    const response = await fetch(`${base}${url}`, { method: "POST", headers, body });
    return { statusCode: response.status, body: await response.text() };
  };
  const gateway = { enrolmentToken: enrolmentTokenIn(gatewayDir), nowMs: Date.now, send };

  const nodes = await Promise.all(
    Object.entries(misbehaviours).map(async ([fault, answer]) => {
      const node = await nodeAt(gateway, {
        evidence: "none",
        evidenceFor: () => ({ quote: null, event_log: null, vm_config: null }),
        name: fault,
        methods: ["searchbyfullarchive"],
      });
      await node.attest();
      await setNodeState(gatewayDir, fault, "approve");
      await until(`${fault} to be admitted`, async () =>
        (await node.attest()).state === "admitted" ? true : null,
      );
      return { fault, responseCounts: answerUntilStopped(node, answer) };
    }),
  );

  /** Attests again after a gateway restart. */
  async function answerUntilStopped(
    node: DrivenNode,
    answer: (node: DrivenNode, job: StoredJob) => Promise<number>,
  ): Promise<Record<number, number>> {
    const responses: Record<number, number> = {};
    while (!stopping.signal.aborted) {
      try {
        const status = await answer(node, await node.lease(500));
        responses[status] = (responses[status] ?? 0) + 1;
      } catch (error) {
        if (isUnknown(error)) await node.attest().catch(() => undefined);
      }
    }
    return responses;
  }

  return {
    stop: async (): Promise<ByzantineReport[]> => {
      stopping.abort();
      return await Promise.all(
        nodes.map(async ({ fault, responseCounts }) => ({
          fault,
          responses: await responseCounts,
        })),
      );
    },
  };
}

const isUnknown = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("401 ");
