import * as z from "zod";
import { evidenceKinds } from "../../jobs/result-signature.ts";
import { capability } from "../../remote/protocol/messages.ts";
import { errorWithHint } from "./words.ts";

const time = z.iso.datetime().meta({ examples: ["2026-01-31T12:00:00.000Z"] });
const digest = z.string().meta({ examples: ["WlYYyZPAWTBMRBaVzNFBmEHfPSG8bCqvhs_X8wzGmu8"] });
const evidenceKind = z.enum(evidenceKinds);

const attestationId = z
  .string(
    errorWithHint(
      "expected the id of an attestation",
      "use the id from the Link header of a result",
    ),
  )
  .meta({
    description: "Identifies statement and quote: a base64url SHA-256.",
    examples: ["WlYYyZPAWTBMRBaVzNFBmEHfPSG8bCqvhs_X8wzGmu8"],
  });
export const attestationPath = z.object({ id: attestationId });

const node = z
  .strictObject({
    id: z.string().meta({ description: "As in the status of a job." }),
    name: z.string().meta({ description: "The name given by its operator." }),
    evidence: evidenceKind,
    state: z.enum(["approved", "draining", "quarantined"]).meta({
      description: "A draining or quarantined node gets no jobs.",
    }),
    connected: z
      .boolean()
      .meta({ description: "Whether it is attested and was recently in contact." }),
    capabilities: z.array(capability).meta({
      description: "Its capabilities: methods on a platform, and sources.",
    }),
    url: z.string().nullable().meta({ description: "Always null: nodes do not serve clients." }),
    version: z.string(),
    key_id: z.string().nullable().meta({ description: "Identifies the keys of its run." }),
    attestation: z.string().nullable().meta({
      description: "The attestation of these keys: GET /v1/attestations/:id.",
    }),
    attested_at: time.nullable(),
  })
  .meta({
    id: "Node",
    examples: [
      {
        id: "5b1c7d0e9a2f4c68",
        name: "north-1",
        evidence: "tdx",
        state: "approved",
        connected: true,
        capabilities: [{ platform: "bluesky", method: "searchbyquery", ways: ["archive"] }],
        url: null,
        version: "0.9.0",
        key_id: "cKZ1Ck8wAakcJZrjmeXhSg",
        attestation: "WlYYyZPAWTBMRBaVzNFBmEHfPSG8bCqvhs_X8wzGmu8",
        attested_at: "2026-01-31T12:00:00.000Z",
      },
    ],
  });

export const nodeList = z
  .strictObject({
    embedded: z.enum(["on", "spare", "off"]).meta({
      description:
        "What the embedded node runs: its share, only jobs that no other node can run, or nothing. It has no evidence.",
    }),
    evidence: z.array(evidenceKind).meta({ description: "Accepted kinds of evidence." }),
    nodes: z.array(node).meta({ description: "Admitted nodes in other processes." }),
  })
  .meta({
    id: "NodeList",
    examples: [{ embedded: "on", evidence: ["tdx"], nodes: [] }],
  });

export const publishedPolicy = z
  .strictObject({
    id: z.string().meta({ description: "Identifies the policy; attestations refer to it." }),
    audience: z.string().meta({ description: "Intended recipient of evidence." }),
    gateway_key: z.string().meta({
      description: "Ed25519, base64url. Nodes refuse jobs that are not signed with it.",
    }),
    evidence: z.array(evidenceKind).meta({ description: "Accepted kinds of evidence." }),
    quotes: z.looseObject({}).nullable().meta({
      description:
        "The policy file: accepted images, compose files, machines and their states. Null without one.",
    }),
  })
  .meta({
    id: "AttestationPolicy",
    examples: [
      {
        id: "WlYYyZPAWTBMRBaVzNFBmEHfPSG8bCqvhs_X8wzGmu8",
        audience: "earshot",
        gateway_key: "lwPztvWbCdM7DlbbGmcMl5T3jkSB2kpX2H0m8oYLqQk",
        evidence: ["tdx"],
        quotes: null,
      },
    ],
  });

const statement = z.strictObject({
  version: z.literal(1),
  evidence: evidenceKind,
  audience: z.string(),
  nonce: z.string(),
  identity_key: z.string(),
  signing_key: z.string(),
  sealing_key: z.string(),
  boot_id: z.string(),
  gateway_key: z.string(),
});

const blob = z.string();
const collateral = z.strictObject({
  pck_crl_issuer_chain: blob,
  root_ca_crl: blob,
  pck_crl: blob,
  tcb_info_issuer_chain: blob,
  tcb_info: blob,
  tcb_info_signature: blob,
  qe_identity_issuer_chain: blob,
  qe_identity: blob,
  qe_identity_signature: blob,
});

const attestationExample = {
  id: "WlYYyZPAWTBMRBaVzNFBmEHfPSG8bCqvhs_X8wzGmu8",
  node_id: "5b1c7d0e9a2f4c68",
  key_id: "cKZ1Ck8wAakcJZrjmeXhSg",
  name: "north-1",
  statement: {
    version: 1,
    evidence: "none",
    audience: "earshot",
    nonce: "…",
    identity_key: "…",
    signing_key: "…",
    sealing_key: "…",
    boot_id: "…",
    gateway_key: "…",
  },
  identity_signature: "…",
  evidence: { quote: null, event_log: null, vm_config: null },
  collateral: null,
  policy_id: "none",
};

export const attestation = z
  .strictObject({
    id: digest,
    node_id: z.string(),
    key_id: z.string(),
    name: z.string(),
    statement,
    identity_signature: z.string().meta({
      description: "Ed25519 signature of the statement by the identity key, base64url.",
    }),
    evidence: z.strictObject({
      quote: z.string().nullable().meta({ description: "In hexadecimal digits." }),
      event_log: z.string().nullable(),
      vm_config: z.string().nullable(),
    }),
    collateral: collateral.nullable().meta({
      description: "The verification collateral: certificates, revocation lists, TCB levels.",
    }),
    policy_id: z.string(),
  })
  .meta({ id: "Attestation", examples: [attestationExample] });

export const proof = z
  .strictObject({
    version: z.literal(1),
    job: z.uuid(),
    body: z.string().meta({ description: "The signed result, byte for byte." }),
    fields: z
      .strictObject({
        "content-digest": z.string(),
        "content-type": z.string(),
        "earshot-job": z.string(),
        "signature-input": z.string(),
        signature: z.string(),
      })
      .meta({ description: "The signature fields of the result." }),
    knowledge: z.string().meta({
      description: "Coverage, sources and continuation of the result, as JSON text.",
    }),
    request: z.string().meta({ description: "The node's request, as JSON text." }),
    attestation,
  })
  .meta({
    id: "Proof",
    examples: [
      {
        version: 1,
        job: "0f8fad5b-d9cb-469f-a165-70867728950e",
        body: "[]",
        fields: {
          "content-digest": "sha-256=:…:",
          "content-type": "application/json; charset=utf-8",
          "earshot-job": 'id="0f8fad5b-d9cb-469f-a165-70867728950e", …',
          "signature-input": "earshot=(…);…",
          signature: "earshot=:…:",
        },
        knowledge: "{…}",
        request: "{…}",
        attestation: attestationExample,
      },
    ],
  });
