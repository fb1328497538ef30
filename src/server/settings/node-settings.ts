import { evidenceKinds } from "../../jobs/result-signature.ts";
import { urlOrNone } from "../../lib/settings/network-kinds.ts";
import {
  choice,
  count,
  pathOrNone,
  type Setting,
  secret,
  text,
  word,
  wordsSetting,
} from "../../lib/settings/setting.ts";
import { gatewayDefaults } from "../../remote/settings.ts";

export const gatewaySettings = {
  embedded: choice(
    "EARSHOT_EMBEDDED_NODE",
    "on",
    ["on", "spare", "off"],
    "Jobs that the embedded node runs: its share (`on`), those that no connected node can run (`spare`), or none (`off`).",
  ),
  evidence: wordsSetting(
    "EARSHOT_NODES_EVIDENCE",
    evidenceKinds,
    "Kinds of evidence accepted from remote nodes. `simulated` and `none` prove nothing about the machine.",
    ["tdx"],
  ),
  policyFile: pathOrNone(
    "EARSHOT_NODES_POLICY",
    "a JSON file",
    "Evidence policy (docs/attestation.md). Without it, no node with a quote is admitted.",
  ),
  collateral: text(
    "EARSHOT_NODES_COLLATERAL",
    gatewayDefaults.collateral,
    "a URL that begins with https:// or http://, or a folder",
    "Source of quote collateral: Intel's service, a cache (PCCS), or a folder of files.",
  ),
  dispatchesPerSecond: count(
    "EARSHOT_NODES_DISPATCHES_PER_SECOND",
    gatewayDefaults.dispatchesPerSecond,
    [1, 100_000],
    "Maximum number of jobs dispatched to a remote node per second.",
  ),
} satisfies Record<string, Setting<unknown>>;

export const nodeSettings = {
  gateway: urlOrNone(
    "EARSHOT_NODE_GATEWAY",
    ["https:", "http:"],
    "Gateway that `earshot node` connects to.",
  ),
  gatewayKey: word(
    "EARSHOT_NODE_GATEWAY_KEY",
    "That gateway's key (`earshot nodes key`). Required for `tdx`; otherwise the first key is pinned until the node stops.",
  ),
  enrolmentToken: secret(
    "EARSHOT_NODE_ENROLMENT_TOKEN",
    "That gateway's enrolment token (`earshot nodes enroll`).",
  ),
  evidence: choice(
    "EARSHOT_NODE_EVIDENCE",
    "tdx",
    evidenceKinds,
    "The node's evidence. Machines without Intel TDX use `none`, which the gateway has to accept. `simulated` reads `tee.json` in the data folder.",
  ),
} satisfies Record<string, Setting<unknown>>;
