import * as z from "zod";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { EarshotError } from "../../lib/errors.ts";
import { readOrRefuse } from "./refusal.ts";

const text = z.string().max(262_144);
const hexDigits = /^(?:[0-9a-f]{2})*$/i;
const bytes = z.array(z.int().min(0).max(255)).max(262_144);
const blob = z.union([
  z.string().regex(hexDigits).max(524_288),
  bytes.transform((numbers) => Buffer.from(numbers).toString("hex")),
]);

export const collateralShape = z.object({
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

export type Collateral = z.infer<typeof collateralShape>;

export function readCollateral(json: unknown): Collateral {
  const parsed = collateralShape.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadableCollateral(`${issue?.path.join(".")}: ${issue?.message}`);
}

export const unreadableCollateral = (reason: string): EarshotError =>
  new EarshotError("collateral_unreadable", `invalid collateral: ${reason}`);

const hex = z.string().regex(hexDigits).min(2);
const signedShape = z.object({
  id: z.string(),
  issueDate: z.iso.datetime().transform(Date.parse),
  nextUpdate: z.iso.datetime().transform(Date.parse),
  tcbEvaluationDataNumber: z.int().min(0),
});
const tdxModule = z.object({ mrsigner: hex, attributes: hex, attributesMask: hex });
const tcbLevel = z.object({
  tcb: z.object({ isvsvn: z.int() }),
  tcbStatus: z.string(),
  advisoryIDs: z.array(z.string()).optional(),
});
const tcbInfo = signedShape.extend({
  fmspc: hex,
  tdxModule: tdxModule.optional(),
  tdxModuleIdentities: z
    .array(tdxModule.extend({ id: z.string(), tcbLevels: z.array(tcbLevel) }))
    .optional(),
});

export type QeIdentity = z.infer<typeof signedShape>;
export type TcbInfo = z.infer<typeof tcbInfo>;
export type TdxModule = z.infer<typeof tdxModule>;

const schemaReader =
  <Value>(schema: z.ZodType<Value>, what: string) =>
  (text: string): Value =>
    readOrRefuse("collateral_malformed", `invalid ${what}`, () =>
      schema.parse(parseUntrustedJson(text)),
    );

export const readTcbInfo = schemaReader(tcbInfo, "TCB information");
export const readQeIdentity = schemaReader(signedShape, "QE identity");
