import { isoTime } from "../../../lib/iso-time.ts";
import type { Collateral } from "../evidence.ts";
import {
  type Authority,
  type Issuer,
  makeRevocationList,
  type PckFields,
  serials,
  toPem,
} from "./authority.ts";
import { signRaw } from "./quote-writer.ts";

export type CollateralFields = ReturnType<typeof defaultCollateral>;

const defaultCollateral = (nowMs: number) => ({
  inForce: { fromMs: nowMs - 3_600_000, toMs: nowMs + 365 * 86_400_000 },
  tcbStatus: "UpToDate",
  advisories: [] as readonly string[],
  evaluationNumber: 18,
  moduleSvn: 5,
  revoked: [] as readonly Exclude<keyof typeof serials, "root">[],
  tcbInfo: {},
  qeIdentity: {},
});

export function writeCollateral(
  { root, platformCa, tcbSigning: signer, rootDer }: Authority,
  machine: PckFields,
  nowMs: number,
  overrides: Partial<CollateralFields>,
): Collateral {
  const fields = { ...defaultCollateral(nowMs), ...overrides };
  const tcbInfo = JSON.stringify({ ...makeTcbInfo(machine, fields), ...fields.tcbInfo });
  const qeIdentity = JSON.stringify({ ...makeQeIdentity(fields), ...fields.qeIdentity });
  const signText = (text: string) => signRaw(signer.privateKey, Buffer.from(text)).toString("hex");
  const list = (issuer: Issuer, isListed: (who: string) => boolean) => {
    const revokedSerials = fields.revoked.filter(isListed).map((who) => serials[who]);
    return makeRevocationList(issuer, revokedSerials, fields.inForce).toString("hex");
  };
  return {
    pck_crl_issuer_chain: toPem(platformCa.certificate) + toPem(rootDer),
    root_ca_crl: list(root, (who) => who !== "pck"),
    pck_crl: list(platformCa, (who) => who === "pck"),
    tcb_info_issuer_chain: signer.chain,
    tcb_info: tcbInfo,
    tcb_info_signature: signText(tcbInfo),
    qe_identity_issuer_chain: signer.chain,
    qe_identity: qeIdentity,
    qe_identity_signature: signText(qeIdentity),
  };
}

function makeTcbInfo(machine: PckFields, fields: CollateralFields): Record<string, unknown> {
  const { evaluationNumber, moduleSvn, tcbStatus, advisories } = fields;
  const tcbDate = iso(fields.inForce.fromMs);
  const zeros = (bytes: number) => "00".repeat(bytes);
  const module = { mrsigner: zeros(48), attributes: zeros(8), attributesMask: "ff".repeat(8) };
  const outdatedLevel = { tcb: { isvsvn: 2 }, tcbDate, tcbStatus: "OutOfDate" };
  return {
    id: "TDX",
    version: 3,
    ...makeDates(fields),
    fmspc: machine.fmspc,
    pceId: "0000",
    tcbType: 0,
    tcbEvaluationDataNumber: evaluationNumber,
    tdxModule: module,
    tdxModuleIdentities: [
      {
        id: "TDX_01",
        ...module,
        tcbLevels: [
          { tcb: { isvsvn: moduleSvn }, tcbDate, tcbStatus: "UpToDate" },
          { ...outdatedLevel, advisoryIDs: ["SIMULATED-SA-00001"] },
        ],
      },
    ],
    tcbLevels: [
      {
        tcb: {
          sgxtcbcomponents: [...machine.cpuSvn].map((svn) => ({ svn })),
          pcesvn: machine.pceSvn,
          tdxtcbcomponents: [2, 0, 3, ...Array(13).fill(0)].map((svn) => ({ svn })),
        },
        tcbDate,
        tcbStatus,
        advisoryIDs: advisories,
      },
    ],
  };
}

function makeQeIdentity(fields: CollateralFields): Record<string, unknown> {
  const level = (isvsvn: number, tcbStatus: string) => ({
    tcb: { isvsvn },
    tcbDate: iso(fields.inForce.fromMs),
    tcbStatus,
  });
  return {
    id: "TD_QE",
    version: 2,
    ...makeDates(fields),
    tcbEvaluationDataNumber: fields.evaluationNumber,
    miscselect: "00000000",
    miscselectMask: "ffffffff",
    attributes: `11${"00".repeat(15)}`,
    attributesMask: `fb${"ff".repeat(7)}${"00".repeat(8)}`,
    mrsigner: "dc".repeat(32),
    isvprodid: 2,
    tcbLevels: [level(4, "UpToDate"), level(2, "OutOfDate")],
  };
}

const makeDates = ({ inForce }: CollateralFields) => ({
  issueDate: iso(inForce.fromMs),
  nextUpdate: iso(inForce.toMs),
});

const iso = (ms: number) => `${isoTime(ms).slice(0, 19)}Z`;
