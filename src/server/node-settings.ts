import { evidenceKinds } from "../jobs/result-signature.ts";
import {
  choice,
  count,
  duration,
  pathOrNone,
  secret,
  someOf,
  text,
  word,
} from "../lib/settings/kinds.ts";
import { urlOrNone } from "../lib/settings/network-kinds.ts";
import type { Setting } from "../lib/settings/setting.ts";
import { gatewayDefaults } from "../remote/settings.ts";

/** Of a gateway. */
export const gatewaySettings = {
  embedded: choice(
    "EARSHOT_EMBEDDED_NODE",
    "on",
    ["on", "spare", "off"],
    "What the node in the server's own process runs: its share of the jobs, those that no connected node can run, or none.",
  ),
  evidence: someOf(
    "EARSHOT_NODES_EVIDENCE",
    evidenceKinds,
    "What remote nodes may show for themselves. `simulated` and `none` prove nothing about the machine: with them every result, health answer and page says so.",
    ["tdx"],
  ),
  policyFile: pathOrNone(
    "EARSHOT_NODES_POLICY",
    "a JSON file",
    "The policy that evidence is checked against (docs/attestation.md). Without one no node with a quote is admitted.",
  ),
  collateral: text(
    "EARSHOT_NODES_COLLATERAL",
    gatewayDefaults.collateral,
    "a URL that begins with https:// or http://, or a folder",
    "Where the collateral of quotes comes from: a caching service (PCCS), Intel's own, or a folder of files for gateways without internet access.",
  ),
  dispatchesPerSecond: count(
    "EARSHOT_NODES_DISPATCHES_PER_SECOND",
    gatewayDefaults.dispatchesPerSecond,
    [1, 100_000],
    "Jobs that one remote node is given in any second.",
  ),
  quarantineMs: duration(
    "EARSHOT_NODES_QUARANTINE",
    gatewayDefaults.quarantineMs,
    0,
    "How long a node is quarantined after three errors within ten minutes; doubled each time, up to a day. 0 turns quarantine off.",
  ),
} satisfies Record<string, Setting<unknown>>;

/** Of `earshot node`. */
export const nodeSettings = {
  gateway: urlOrNone(
    "EARSHOT_NODE_GATEWAY",
    ["https:", "http:"],
    "The gateway that `earshot node` takes work from.",
  ),
  gatewayKey: word(
    "EARSHOT_NODE_GATEWAY_KEY",
    "The key of that gateway, as `earshot nodes key` prints it; a gateway with another is refused. Needed for `tdx`; otherwise the first one is kept until the node stops.",
  ),
  enrolmentToken: secret(
    "EARSHOT_NODE_ENROLMENT_TOKEN",
    "What the node shows so that the gateway hears it at all, as `earshot nodes enroll` prints it there.",
  ),
  evidence: choice(
    "EARSHOT_NODE_EVIDENCE",
    "tdx",
    evidenceKinds,
    "The evidence that the node shows. `tdx` needs an Intel TDX machine; others use `none`, which the gateway has to accept. `simulated` reads `tee.json` in the data folder.",
  ),
  url: urlOrNone(
    "EARSHOT_NODE_URL",
    ["https:", "http:"],
    "Where clients reach what `--listen` serves, for the gateway's list of nodes.",
  ),
} satisfies Record<string, Setting<unknown>>;
