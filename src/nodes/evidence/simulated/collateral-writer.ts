import type { Collateral } from "../evidence.ts";
import { type Authority, type MachineIds, serials } from "./authority.ts";
import { makeRevocationList, pemOf, type Span } from "./certificate-writer.ts";
import { signRaw } from "./quote-writer.ts";

/** What collateral can be made to say. */
export type CollateralFields = {
  inForce: Span;
  tcbStatus: string;
  advisories: readonly string[];
  evaluationNumber: number;
  /** The least version of the TDX module that is up to date. */
  moduleSvn: number;
  revoked: readonly ("machine" | "machines" | "collateral")[];
  /** Members in place of the usual ones, and signed as they are. */
  tcbInfo: Readonly<Record<string, unknown>>;
  qeIdentity: Readonly<Record<string, unknown>>;
};

export function usualCollateral(nowMs: number): CollateralFields {
  const day = 86_400_000;
  return {
    inForce: { fromMs: nowMs - 3_600_000, toMs: nowMs + 365 * day },
    tcbStatus: "UpToDate",
    advisories: [],
    evaluationNumber: 18,
    moduleSvn: 5,
    revoked: [],
    tcbInfo: {},
    qeIdentity: {},
  };
}

/** Collateral of a simulated machine, in the form and with the signatures of Intel's. */
export function writeCollateral(
  authority: Authority,
  machine: MachineIds,
  fields: CollateralFields,
): Collateral {
  const { root, machines, collateral: signer, rootDer } = authority;
  const tcbInfo = JSON.stringify({ ...tcbInfoOf(machine, fields), ...fields.tcbInfo });
  const qeIdentity = JSON.stringify({ ...qeIdentityOf(fields), ...fields.qeIdentity });
  const signed = (text: string) => signRaw(signer.privateKey, Buffer.from(text)).toString("hex");
  const ofMachines = fields.revoked.filter((who) => who === "machine");
  const ofRoot = fields.revoked.filter((who) => who !== "machine");
  const list = (issuer: typeof root, revoked: CollateralFields["revoked"]) =>
    makeRevocationList(
      issuer,
      revoked.map((who) => serials[who]),
      fields.inForce,
    ).toString("hex");
  return {
    pck_crl_issuer_chain: pemOf(machines.certificate) + pemOf(rootDer),
    root_ca_crl: list(root, ofRoot),
    pck_crl: list(machines, ofMachines),
    tcb_info_issuer_chain: signer.chain,
    tcb_info: tcbInfo,
    tcb_info_signature: signed(tcbInfo),
    qe_identity_issuer_chain: signer.chain,
    qe_identity: qeIdentity,
    qe_identity_signature: signed(qeIdentity),
  };
}

const module = {
  mrsigner: "00".repeat(48),
  attributes: "00".repeat(8),
  attributesMask: "ff".repeat(8),
};

function tcbInfoOf(machine: MachineIds, fields: CollateralFields): Record<string, unknown> {
  const components = (svns: Iterable<number>) => {
    const known = [...svns];
    return Array.from({ length: 16 }, (_, index) => ({ svn: known[index] ?? 0 }));
  };
  const { moduleSvn, tcbStatus, advisories } = fields;
  const tcbDate = iso(fields.inForce.fromMs);
  return {
    id: "TDX",
    version: 3,
    ...datesOf(fields),
    fmspc: machine.fmspc,
    pceId: "0000",
    tcbType: 0,
    tcbEvaluationDataNumber: fields.evaluationNumber,
    tdxModule: module,
    tdxModuleIdentities: [
      {
        id: "TDX_01",
        ...module,
        tcbLevels: [
          { tcb: { isvsvn: moduleSvn }, tcbDate, tcbStatus: "UpToDate" },
          {
            tcb: { isvsvn: 2 },
            tcbDate,
            tcbStatus: "OutOfDate",
            advisoryIDs: ["SIMULATED-SA-00001"],
          },
        ],
      },
    ],
    tcbLevels: [
      {
        tcb: {
          sgxtcbcomponents: components(machine.cpuSvn),
          pcesvn: machine.pceSvn,
          tdxtcbcomponents: components([2, 0, 3]),
        },
        tcbDate,
        tcbStatus,
        advisoryIDs: advisories,
      },
    ],
  };
}

function qeIdentityOf(fields: CollateralFields): Record<string, unknown> {
  return {
    id: "TD_QE",
    version: 2,
    ...datesOf(fields),
    tcbEvaluationDataNumber: fields.evaluationNumber,
    miscselect: "00000000",
    miscselectMask: "ffffffff",
    attributes: `11${"00".repeat(15)}`,
    attributesMask: `fb${"ff".repeat(7)}${"00".repeat(8)}`,
    mrsigner: "dc".repeat(32),
    isvprodid: 2,
    tcbLevels: [
      { tcb: { isvsvn: 4 }, tcbDate: iso(fields.inForce.fromMs), tcbStatus: "UpToDate" },
      { tcb: { isvsvn: 2 }, tcbDate: iso(fields.inForce.fromMs), tcbStatus: "OutOfDate" },
    ],
  };
}

const datesOf = ({ inForce }: CollateralFields) => ({
  issueDate: iso(inForce.fromMs),
  nextUpdate: iso(inForce.toMs),
});

/** To the second, as Intel writes it. */
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
