import { coverageBody } from "../../http/answers/status-body.ts";
import { escapeInvisible } from "../../lib/controls.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { AnswerRequest, Coverage } from "../../platforms/source.ts";
import { targetText } from "../../platforms/target.ts";
import type { VerifiedEvidence } from "../../remote/evidence/evidence.ts";
import type { Proof } from "../../remote/proof/read-proof.ts";
import type { ProofStep, ProofVerdict } from "../../remote/proof/verify-proof.ts";
import type { SignedResult } from "../../remote/protocol/signed-result.ts";
import { readKnowledge, readRequest } from "../../remote/protocol/texts.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/text-layout.ts";
import { type ProofClaims, proofClaims } from "./proof-claims.ts";

type VerdictOptions = { json?: boolean; gatewayKey?: string };

type Content = {
  proof: Proof;
  signed: SignedResult;
  evidence: VerifiedEvidence;
  asOfMs: number | null;
  records: number;
  claims: ProofClaims;
};

/** For an invalid proof, shows only the checks, because its content cannot be trusted. */
export function showVerdict(
  verdict: ProofVerdict,
  options: VerdictOptions,
  terminal: Terminal,
): void {
  const content = makeContent(verdict, options);
  // Untrusted text cannot move the cursor, break lines or change the text direction.
  if (options.json) terminal.out(`${escapeInvisible(JSON.stringify(asJson(verdict, content)))}\n`);
  else terminal.out(`${asText(verdict, content, terminal)}\n`);
}

function makeContent(
  { holds, proof, signed, evidence, asOfMs, records }: ProofVerdict,
  options: VerdictOptions,
): Content | null {
  if (!holds || proof === null || signed === null || evidence === null || records === null) {
    return null;
  }
  const claims = proofClaims(evidence, { isGatewayKnown: options.gatewayKey !== undefined });
  return { proof, signed, evidence, asOfMs, records, claims };
}

function asJson({ steps }: ProofVerdict, content: Content | null) {
  return {
    holds: content !== null,
    checks: steps,
    ...(content === null ? {} : contentFields(content)),
  };
}

function contentFields({ proof, signed, evidence, asOfMs, records, claims }: Content) {
  const { statement, id, node_id } = proof.attestation;
  const { complete, coverage } = readKnowledge(proof.knowledge);
  const request = readRequest(proof.request);
  return {
    job: proof.job,
    asked: JSON.parse(proof.request),
    about: aboutText(request),
    first_page: isFirstPage(request),
    records,
    complete,
    coverage: coverageBody(coverage),
    signed_at: isoTime(signed.signedAtMs),
    node: node_id,
    key: signed.keyId,
    attestation: id,
    gateway: { audience: statement.audience, key: statement.gateway_key },
    evidence: {
      kind: evidence.kind,
      image: evidence.image,
      compose_hash: evidence.composeHash,
      tcb_status: evidence.facts?.tcbStatus ?? null,
      machine: getMachine(evidence),
      is_listed_machine: evidence.isListedPlatform,
      policy: evidence.policyId === "none" ? null : evidence.policyId,
      as_of: asOfMs === null ? null : isoTime(asOfMs),
      collateral_until: evidence.facts === null ? null : isoTime(evidence.facts.collateralUntilMs),
    },
    proven: claims.proven,
    not_proven: claims.notProven,
  };
}

function asText({ steps }: ProofVerdict, content: Content | null, terminal: Terminal): string {
  const { bold } = painter(terminal);
  const checks = steps.map(stepLine).join("\n");
  if (content === null) return [bold("The proof is invalid."), checks].join("\n\n");
  return [
    bold(headlines[content.evidence.kind]),
    checks,
    getRows(content)
      .map(([name, value]) => `${name.padEnd(10)}${escapeInvisible(value)}`)
      .join("\n"),
    bulletList(bold("Proven"), content.claims.proven, terminal),
    bulletList(bold("Not proven"), content.claims.notProven, terminal),
  ].join("\n\n");
}

const headlines: Readonly<Record<VerifiedEvidence["kind"], string>> = {
  tdx: "The proof is valid.",
  simulated: "The proof is valid, with SIMULATED evidence: it proves nothing about a machine.",
  none: "The proof is valid, with NO evidence: nothing vouches for the signing key.",
};

const marks = { passed: "ok", failed: "FAILED", skipped: "-" } as const;

const stepLine = ({ check, outcome, code, message }: ProofStep): string =>
  `${marks[outcome].padEnd(8)}${check.padEnd(11)}${escapeInvisible(message)}${code === null ? "" : ` (${code})`}`;

function getRows({
  proof,
  signed,
  evidence,
  asOfMs,
  records,
}: Content): [name: string, value: string][] {
  const { statement, node_id, name } = proof.attestation;
  const { complete, coverage, next } = readKnowledge(proof.knowledge);
  const request = readRequest(proof.request);
  const about = aboutText(request);
  return [
    ["Job", proof.job],
    ["Request", requestText(request)],
    ...(about === null ? [] : [["About", about] satisfies [string, string]]),
    ["Type", request.type],
    ["Page", isFirstPage(request) ? "first" : "not the first; earlier pages are not included"],
    [
      "Answer",
      `${recordsText(records)}${complete ? ", complete" : ""}${next === null ? "" : ", more on the next page"}`,
    ],
    ["Covered", `${spanText(coverage)}${gapsText(coverage)}`],
    ["Signed", `${isoTime(signed.signedAtMs)} by the gateway's clock`],
    ["Node", `${node_id}, named ${JSON.stringify(name)} by its gateway`],
    ["Gateway", `${JSON.stringify(statement.audience)}, key ${statement.gateway_key}`],
    ["Evidence", evidenceText(evidence)],
    ...(asOfMs === null ? [] : [["As of", asOfText(asOfMs, signed)] satisfies [string, string]]),
  ];
}

function requestText(request: AnswerRequest): string {
  const { method, platform, query, maxResults } = request;
  return `${method} of ${platform}: ${JSON.stringify(query)}, ${spanText(request)}, at most ${recordsText(maxResults)}`;
}

/** Null if the query alone defines the request. */
const aboutText = ({ target = null }: AnswerRequest): string | null =>
  target === null ? null : targetText(target);

const isFirstPage = ({ after, position = null }: AnswerRequest): boolean =>
  after === null && position === null;

const spanText = ({ fromMs, toMs }: { fromMs: number | null; toMs: number }): string =>
  `from ${fromMs === null ? "the beginning" : isoTime(fromMs)} to ${isoTime(toMs)}`;

function gapsText({ complete, gaps }: Coverage): string {
  if (complete) return "";
  return `, except ${gaps.length === 1 ? "1 gap" : `${gaps.length} gaps`}`;
}

function evidenceText(evidence: VerifiedEvidence): string {
  const { kind, image, composeHash, facts } = evidence;
  if (facts === null) return kind;
  const program = composeHash === null ? "" : `, compose file ${composeHash}`;
  const listingText = evidence.isListedPlatform
    ? "listed in your policy"
    : "not listed in your policy";
  return `${kind}: image ${JSON.stringify(image)}${program}, machine ${getMachine(evidence) ?? "unknown"}, ${listingText}, rated ${facts.tcbStatus}`;
}

const asOfText = (asOfMs: number, { signedAtMs }: SignedResult): string =>
  `${isoTime(asOfMs)}, ${asOfMs === signedAtMs ? "when it was signed" : "as requested"}: certificates and collateral were valid then`;

const getMachine = ({ facts }: VerifiedEvidence): string | null =>
  facts?.platformInstanceId ?? facts?.ppid ?? null;

const recordsText = (records: number): string =>
  records === 1 ? "1 record" : `${records} records`;

function bulletList(title: string, texts: readonly string[], { columns }: Terminal): string {
  const lines = texts.flatMap((text) =>
    wrap(text, Math.min(columns, 100) - 2).map(
      (line, index) => `${index === 0 ? "- " : "  "}${line}`,
    ),
  );
  return [title, ...lines].join("\n");
}
