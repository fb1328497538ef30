import * as z from "zod";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Collateral } from "./evidence.ts";
import { readOrRefuse } from "./refusal.ts";

const text = z.string().max(262_144);
const hex = z
  .string()
  .regex(/^(?:[0-9a-f]{2})*$/i)
  .max(524_288);
const bytes = z
  .array(z.int().min(0).max(255))
  .max(262_144)
  .transform((numbers) => Buffer.from(numbers).toString("hex"));
const blob = z.union([hex, bytes]);

const collateral = z.object({
  pck_crl_issuer_chain: text,
  root_ca_crl: blob,
  pck_crl: blob,
  tcb_info_issuer_chain: text,
  tcb_info: text,
  tcb_info_signature: blob,
  qe_identity_issuer_chain: text,
  qe_identity: text,
  qe_identity_signature: blob,
});

/** Collateral from JSON, its blobs in hexadecimal digits or as lists of bytes. Errors: `collateral_unreadable`. */
export function readCollateral(json: unknown): Collateral {
  const read = collateral.safeParse(json);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const place = issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}`;
  throw new EarshotError("collateral_unreadable", `the collateral cannot be read: ${place}`);
}

const time = z.iso.datetime().transform((written) => Date.parse(written));
const evaluationNumber = z.int().min(0);
const hexDigits = z.string().regex(/^(?:[0-9a-f]{2})+$/i);

const tdxModule = z.object({
  mrsigner: hexDigits,
  attributes: hexDigits,
  attributesMask: hexDigits,
});
const tdxModuleIdentity = tdxModule.extend({
  id: z.string(),
  tcbLevels: z.array(
    z.object({
      tcb: z.object({ isvsvn: z.int() }),
      tcbStatus: z.string(),
      advisoryIDs: z.array(z.string()).optional(),
    }),
  ),
});
export type TdxModule = z.infer<typeof tdxModule>;

const tcbInfo = z.object({
  id: z.string(),
  issueDate: time,
  nextUpdate: time,
  fmspc: hexDigits,
  tcbEvaluationDataNumber: evaluationNumber,
  tdxModule: tdxModule.optional(),
  tdxModuleIdentities: z.array(tdxModuleIdentity).optional(),
});
export type TcbInfo = z.infer<typeof tcbInfo>;

const qeIdentity = z.object({
  id: z.string(),
  issueDate: time,
  nextUpdate: time,
  tcbEvaluationDataNumber: evaluationNumber,
});
export type QeIdentity = z.infer<typeof qeIdentity>;

/** What is read here of the TCB information of a kind of machine. Errors: `evidence_refused` (`collateral_malformed`). */
export function readTcbInfo(written: string): TcbInfo {
  return readOrRefuse("collateral_malformed", "the TCB information cannot be read", () =>
    tcbInfo.parse(parseUntrustedJson(written)),
  );
}

/** What is read here of the identity of quoting enclaves. Errors: `evidence_refused` (`collateral_malformed`). */
export function readQeIdentity(written: string): QeIdentity {
  return readOrRefuse(
    "collateral_malformed",
    "the identity of quoting enclaves cannot be read",
    () => qeIdentity.parse(parseUntrustedJson(written)),
  );
}
