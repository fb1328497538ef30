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
import { url, urlOrNone } from "../lib/settings/network-kinds.ts";
import type { Setting } from "../lib/settings/setting.ts";
import { gatewayDefaults, nodeDefaults } from "../remote/settings.ts";

/** Settings of a gateway for its nodes. */
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
  audience: text(
    "EARSHOT_NODES_AUDIENCE",
    gatewayDefaults.audience,
    "a name",
    "The name under which nodes attest to this gateway; evidence that was made for another is refused.",
  ),
  simulatedRoot: pathOrNone(
    "EARSHOT_NODES_SIMULATED_ROOT",
    "a file with a certificate in PEM",
    "The root that simulated quotes are verified against; `earshot nodes simulate` makes one.",
  ),
  collateralUrl: url(
    "EARSHOT_NODES_COLLATERAL_URL",
    gatewayDefaults.collateralUrl,
    ["https:", "http:"],
    "The caching service, or Intel's own, that collateral of quotes is fetched from.",
  ),
  collateralDir: pathOrNone(
    "EARSHOT_NODES_COLLATERAL_DIR",
    "a folder",
    "A folder with collateral, which is taken instead of fetching any; for gateways without a way out.",
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

/** Settings of `earshot node`. */
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
  audience: text(
    "EARSHOT_NODE_AUDIENCE",
    gatewayDefaults.audience,
    "a name",
    "The name of the gateway that evidence is made for (its EARSHOT_NODES_AUDIENCE); a gateway of another name is refused.",
  ),
  name: word("EARSHOT_NODE_NAME", "What operators know the node by; the host's name when absent."),
  evidence: choice(
    "EARSHOT_NODE_EVIDENCE",
    "tdx",
    evidenceKinds,
    "What the node shows for itself. `tdx` needs an Intel TDX machine; on others `none`, and the gateway has to take it.",
  ),
  simulatedTee: pathOrNone(
    "EARSHOT_NODE_SIMULATED_TEE",
    "a file",
    "What simulated quotes are made with, as `earshot nodes simulate` writes it.",
  ),
  url: urlOrNone(
    "EARSHOT_NODE_URL",
    ["https:", "http:"],
    "Where clients reach what `--listen` serves, for the gateway's list of nodes.",
  ),
  drainMs: duration(
    "EARSHOT_NODE_DRAIN_TIME",
    nodeDefaults.drainMs,
    0,
    "Longest time that a node which is stopped takes to end what it runs; what is left goes back to the gateway.",
  ),
} satisfies Record<string, Setting<unknown>>;
