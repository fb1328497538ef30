import type { EvidenceKind } from "../../jobs/result-signature.ts";
import { stripControls } from "../../lib/controls.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { platforms } from "../../posts/post.ts";
import type { NodeRecord } from "../../remote/gateway/node-record.ts";
import type { NodeEvent } from "../../remote/gateway/node-store.ts";
import { tableLines } from "../terminal/table.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";

export function nodeAsJson(node: NodeRecord, nowMs: number): Record<string, unknown> {
  return {
    id: node.id,
    name: node.name,
    state: getState(node, nowMs),
    evidence: node.evidence,
    image: node.image,
    compose_hash: node.composeHash,
    machine: node.machine,
    listed: node.isListed,
    capabilities: node.capabilities,
    concurrency: node.concurrency,
    version: node.version,
    attestation: node.attestationId,
    created_at: isoTime(node.createdMs),
    attested_at: isoTime(node.attestedMs),
    connected: isConnected(node, nowMs),
    seen_at: isoTime(node.seenMs),
    quarantined_until: node.quarantinedUntilMs === null ? null : isoTime(node.quarantinedUntilMs),
    quarantine_reason: node.quarantineReason,
    jobs_done: node.jobsDone,
    jobs_failed: node.jobsFailed,
  };
}

export function nodesTable(
  nodes: readonly NodeRecord[],
  nowMs: number,
  terminal: Terminal,
): string {
  const titles = [
    "ID",
    "NAME",
    "STATE",
    "CONNECTED",
    "EVIDENCE",
    "PLATFORMS",
    "JOBS",
    "FAILED",
    "SEEN",
  ];
  const rows = nodes.map((node) => [
    node.id,
    oneLine(node.name),
    getState(node, nowMs),
    isConnected(node, nowMs) ? "yes" : "no",
    evidenceWords[node.evidence],
    formatPlatforms(node),
    String(node.jobsDone),
    String(node.jobsFailed),
    formatMinute(node.seenMs),
  ]);
  return formatTable(titles, rows, terminal);
}

export function nodeAsLines(node: NodeRecord, nowMs: number): string {
  const facts: [string, string][] = [
    ["id", node.id],
    ["name", oneLine(node.name)],
    ["state", getState(node, nowMs)],
    ["connected", isConnected(node, nowMs) ? "yes" : "no"],
    ["evidence", evidenceWords[node.evidence]],
    ...optionalFact("image", node.image),
    ...optionalFact("compose", node.composeHash),
    ...optionalFact("machine", node.machine === null ? null : formatMachine(node)),
    ...methodFacts(node),
    ["concurrency", `${node.concurrency} jobs`],
    ["version", oneLine(node.version)],
    ["created", isoTime(node.createdMs)],
    ["attested", isoTime(node.attestedMs)],
    ["last seen", isoTime(node.seenMs)],
    ["jobs", `${node.jobsDone} done, ${node.jobsFailed} failed`],
    ...quarantineFact(node, nowMs),
  ];
  return facts.map(([name, value]) => `${name.padEnd(11)}  ${value}\n`).join("");
}

/** `seenMs` is recorded every ten seconds, and nodes send a lease request at least every twenty. */
const maxSilenceMs = 45_000;

const isConnected = ({ state, seenMs }: NodeRecord, nowMs: number): boolean =>
  (state === "approved" || state === "draining") && seenMs + maxSilenceMs > nowMs;

const optionalFact = (name: string, value: string | null): [string, string][] =>
  value === null ? [] : [[name, oneLine(value)]];

const formatMachine = ({ machine, isListed }: NodeRecord): string =>
  `${machine}, ${isListed ? "listed in the policy" : "not listed in the policy"}`;

function methodFacts({ capabilities }: NodeRecord): [string, string][] {
  return platforms.flatMap((platform): [string, string][] => {
    const platformCapabilities = capabilities.filter(
      (capability) => capability.platform === platform,
    );
    if (platformCapabilities.length === 0) return [];
    return [
      [
        platform,
        platformCapabilities.map(({ method, ways }) => `${method} (${ways.join(", ")})`).join(", "),
      ],
    ];
  });
}

function quarantineFact(node: NodeRecord, nowMs: number): [string, string][] {
  if (getState(node, nowMs) !== "quarantined") return [];
  const until = isoTime(node.quarantinedUntilMs ?? nowMs);
  return [["quarantined", `until ${until}: ${oneLine(node.quarantineReason ?? "")}`]];
}

function getState({ state, quarantinedUntilMs }: NodeRecord, nowMs: number): string {
  const isQuarantined = quarantinedUntilMs !== null && quarantinedUntilMs > nowMs;
  return state === "approved" && isQuarantined ? "quarantined" : state;
}

const evidenceWords: Readonly<Record<EvidenceKind, string>> = {
  tdx: "tdx",
  simulated: "SIMULATED",
  none: "NONE",
};

function formatPlatforms({ capabilities }: NodeRecord): string {
  const servedPlatforms = platforms.filter((platform) =>
    capabilities.some((capability) => capability.platform === platform),
  );
  return servedPlatforms.join(",") || "none";
}

export const eventAsJson = ({ atMs, nodeId, action, detail }: NodeEvent) => ({
  at: isoTime(atMs),
  node: nodeId,
  action,
  detail,
});

export function eventAsText({ atMs, nodeId, action, detail }: NodeEvent): string {
  const time = isoTime(atMs).replace(/\.\d+Z$/, "Z");
  return [time, nodeId ?? "unknown node", action.replaceAll("_", " "), oneLine(detail)].join("  ");
}

function formatTable(
  titles: readonly string[],
  rows: readonly string[][],
  terminal: Terminal,
): string {
  const columns = titles.map((title) => ({ title, align: "left" }) as const);
  return `${tableLines(columns, rows, painter(terminal).bold).join("\n")}\n`;
}

const oneLine = (text: string): string => stripControls(text).replaceAll("\n", " ");

const formatMinute = (ms: number): string => isoTime(ms).slice(0, 16).replace("T", " ");
