import type { EvidenceKind } from "../../src/jobs/result-signature.ts";
import type { NodeState } from "../../src/remote/gateway/node-record.ts";
import type { ServiceUnderTest } from "../service/service-under-test.ts";

type StoredNode = {
  id: string;
  name?: string;
  state?: NodeState;
  evidence?: EvidenceKind;
};

const changeByState = { approved: "approve", draining: "drain", removed: "remove" } as const;

export async function storeNode(
  { context, clock }: Pick<ServiceUnderTest, "context" | "clock">,
  { id, name = "ams-1", state = "approved", evidence = "none" }: StoredNode,
): Promise<void> {
  const { store } = context;
  const nowMs = clock.now();
  await store.write("storeRegistration", {
    id,
    identityKey: "MCowBQYDK2VwAyEAnodenodenodenodenodenodenod",
    name,
    evidence,
    capabilities: [{ platform: "bluesky", method: "searchbyquery", ways: ["archive"] }],
    concurrency: 4,
    version: "0.1.0",
    machine: null,
    image: null,
    composeHash: null,
    isListed: false,
    attestation: {
      id: `attestation-${id}`,
      node_id: id,
      key_id: "A".repeat(22),
      name,
      statement: {
        version: 1,
        evidence,
        audience: "earshot",
        nonce: "",
        identity_key: "",
        signing_key: "",
        sealing_key: "",
        boot_id: "",
        gateway_key: "",
      },
      identity_signature: "",
      evidence: { quote: null, event_log: null, vm_config: null },
      collateral: null,
      policy_id: "none",
    },
    keptUntilMs: nowMs + 3_600_000,
    nowMs,
  });
  const steps: NodeState[] = state === "draining" ? ["approved", "draining"] : [state];
  for (const step of steps) {
    if (step === "pending") continue;
    const change = changeByState[step];
    await store.write("changeNode", { nodeId: id, change, actor: "command_line", nowMs });
  }
}
