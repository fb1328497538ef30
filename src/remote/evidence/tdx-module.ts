import type { TcbInfo, TdxModule } from "./collateral-text.ts";
import type { TdReport } from "./quote-reader.ts";
import { refused } from "./refusal.ts";

export type TcbRating = { status: string; advisories: readonly string[] };

export function rateTdxModule(tcbInfo: TcbInfo, report: TdReport): TcbRating {
  const [svn = 0, version = 0] = Buffer.from(report.teeTcbSvn, "hex");
  const id = `TDX_${version.toString(16).padStart(2, "0").toUpperCase()}`;
  // Version 0 has no levels: the platform's level covers it.
  const levels = [{ tcb: { isvsvn: 0 }, tcbStatus: "UpToDate", advisoryIDs: [] }];
  const first = tcbInfo.tdxModule && { ...tcbInfo.tdxModule, tcbLevels: levels };
  const later = tcbInfo.tdxModuleIdentities?.find((known) => known.id.toUpperCase() === id);
  const identity = version === 0 ? first : later;
  if (identity === undefined) {
    throw refused("tdx_module_unknown", `the collateral does not list the TDX module ${id}`);
  }
  requireIdentity(identity, report);
  const level = identity.tcbLevels
    .toSorted((a, b) => b.tcb.isvsvn - a.tcb.isvsvn)
    .find(({ tcb }) => svn >= tcb.isvsvn);
  if (level === undefined) {
    throw refused("tdx_module_outdated", `the TDX module ${id} is older than any rated level`);
  }
  return { status: level.tcbStatus, advisories: level.advisoryIDs ?? [] };
}

function requireIdentity(known: TdxModule, { mrSignerSeam, seamAttributes }: TdReport): void {
  const mask = BigInt(`0x${known.attributesMask}`);
  const attributes = BigInt(`0x${seamAttributes}`) & mask;
  const isSigner = known.mrsigner.toLowerCase() === mrSignerSeam;
  const isSame = isSigner && attributes === (BigInt(`0x${known.attributes}`) & mask);
  if (isSame && known.attributes.length === 16 && known.attributesMask.length === 16) return;
  const what = isSigner ? "other attributes than Intel's" : "another signer than Intel";
  throw refused("tdx_module_mismatch", `the TDX module has ${what}`);
}
