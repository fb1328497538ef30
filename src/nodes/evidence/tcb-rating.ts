import type { TcbInfo, TdxModule } from "./collateral-text.ts";
import type { TdReport } from "./quote-reader.ts";
import { refused } from "./refusal.ts";

/** Intel's words for the state of a machine, from the best to the worst. */
export const tcbStatuses = [
  "UpToDate",
  "SWHardeningNeeded",
  "ConfigurationNeeded",
  "ConfigurationAndSWHardeningNeeded",
  "OutOfDate",
  "OutOfDateConfigurationNeeded",
  "Revoked",
] as const;

/** How a part of a machine is rated, and what was published about what it lacks. */
export type TcbRating = { status: string; advisories: readonly string[] };

/** The worst status with the advisories of all; a word that is not known is worse than all that are. */
export function worstOf(ratings: readonly TcbRating[]): TcbRating {
  const words: readonly string[] = tcbStatuses;
  const rank = (status: string) => (words.includes(status) ? words.indexOf(status) : words.length);
  const [worst] = ratings.map(({ status }) => status).sort((a, b) => rank(b) - rank(a));
  const advisories = new Set(ratings.flatMap((rating) => rating.advisories));
  return { status: worst ?? "Revoked", advisories: [...advisories].sort() };
}

/**
 * Rates the TDX module that the machine runs. Errors: `evidence_refused` with `tdx_module_unknown`, `tdx_module_mismatch` or
 * `tdx_module_outdated`.
 */
export function rateTdxModule(tcbInfo: TcbInfo, report: TdReport): TcbRating {
  const [svn = 0, version = 0] = report.teeTcbSvn;
  if (version === 0) {
    // The first version has no levels of its own: it is rated with the machine.
    if (tcbInfo.tdxModule === undefined) throw unknownModule("its first version");
    requireModule(tcbInfo.tdxModule, report);
    return { status: "UpToDate", advisories: [] };
  }
  const id = `TDX_${version.toString(16).padStart(2, "0")}`.toUpperCase();
  const identity = tcbInfo.tdxModuleIdentities?.find((known) => known.id.toUpperCase() === id);
  if (identity === undefined) throw unknownModule(id);
  requireModule(identity, report);
  const level = identity.tcbLevels
    .toSorted((a, b) => b.tcb.isvsvn - a.tcb.isvsvn)
    .find(({ tcb }) => svn >= tcb.isvsvn);
  if (level === undefined) {
    throw refused("tdx_module_outdated", `the TDX module ${id} is older than any that is rated`);
  }
  return { status: level.tcbStatus, advisories: level.advisoryIDs ?? [] };
}

function requireModule(known: TdxModule, report: TdReport): void {
  const signer = Buffer.from(known.mrsigner, "hex");
  const attributes = Buffer.from(known.attributes, "hex");
  const mask = Buffer.from(known.attributesMask, "hex");
  const isSigner = signer.equals(report.mrSignerSeam);
  const isAttributes =
    attributes.length === 8 &&
    mask.length === 8 &&
    report.seamAttributes.every(
      (byte, index) =>
        (byte & (mask[index] ?? 0)) === ((attributes[index] ?? 0) & (mask[index] ?? 0)),
    );
  if (isSigner && isAttributes) return;
  const what = isSigner ? "attributes" : "signer";
  throw refused("tdx_module_mismatch", `the TDX module has another ${what} than Intel's`);
}

const unknownModule = (id: string) =>
  refused("tdx_module_unknown", `the collateral knows no TDX module ${id}`);
