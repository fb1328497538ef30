import * as z from "zod";
import { hasDuplicateMembers } from "../../lib/json-members.ts";
import { collateralShape } from "../evidence/collateral-text.ts";
import { signedFields } from "../protocol/answer.ts";
import { proofRefused } from "../protocol/errors.ts";
import { evidenceBody, nodeStatement } from "../protocol/messages.ts";

const maxCharacters = 268_435_456;

/** `name` and `policy_id` are the gateway's claims. */
const attestation = z.strictObject({
  id: z.string().max(64),
  node_id: z.string().max(64),
  key_id: z.string().max(64),
  name: z.string().max(256),
  statement: nodeStatement,
  identity_signature: z.string().max(128),
  evidence: evidenceBody,
  collateral: collateralShape.nullable(),
  policy_id: z.string().max(256),
});

const proofShape = z.strictObject({
  version: z.literal(1),
  job: z.uuid(),
  body: z.string(),
  fields: signedFields,
  knowledge: z.string(),
  request: z.string(),
  attestation,
});

export type Attestation = z.infer<typeof attestation>;
export type Proof = z.infer<typeof proofShape>;

const problemShape = z.object({
  type: z.string().startsWith("/docs/errors/"),
  detail: z.string().max(1_000),
});

export function readProof(proof: unknown): Proof {
  const text = proof instanceof Uint8Array ? decode(proof) : proof;
  const json = typeof text === "string" ? parse(text) : text;
  const parsed = proofShape.safeParse(json);
  if (parsed.success) return parsed.data;
  const { data: problem } = problemShape.safeParse(json);
  if (problem !== undefined) {
    throw proofRefused(
      "malformed",
      `the file is an error response, not a proof: ${problem.detail}`,
    );
  }
  const { issues } = parsed.error;
  if (issues.every(({ path }) => path[0] === "attestation" && path[1] === "collateral")) {
    throw proofRefused("collateral_malformed", "the collateral in the proof is malformed");
  }
  const [issue] = issues;
  throw proofRefused("malformed", `the proof is malformed at /${issue?.path.join("/") ?? ""}`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw proofRefused("not_json", "the proof is not UTF-8");
  }
}

function parse(text: string): unknown {
  if (text.length > maxCharacters) throw proofRefused("too_long", "the proof is too long");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw proofRefused("not_json", "the proof is not JSON");
  }
  if (!hasDuplicateMembers(text)) return value;
  throw proofRefused(
    "repeated_members",
    "the proof has a repeated member, which parsers resolve differently",
  );
}
