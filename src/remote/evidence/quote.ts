import { createHash } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { requireCollateral } from "./collateral-check.ts";
import { readCollateral, type TcbInfo, type TdxModule } from "./collateral-text.ts";
import type { Collateral, QuoteFacts } from "./evidence.ts";
import { tcbStatuses } from "./policy.ts";
import { ratePlatform, type TcbRating } from "./quote-library.ts";
import type { TdReport } from "./quote-reader.ts";
import { readOrRefuse, refused } from "./refusal.ts";
import type { SignedQuote } from "./signed-quote.ts";

/** Works offline. */
export async function rateQuote(
  quote: SignedQuote,
  collateral: Collateral,
  nowMs: number,
): Promise<QuoteFacts> {
  await yieldToEventLoop();
  const parsedCollateral = readOrRefuse("collateral_malformed", "the collateral is malformed", () =>
    readCollateral(collateral),
  );
  const { tcbInfo, qeIdentity, validUntilMs } = requireCollateral(parsedCollateral, quote, nowMs);
  const { report } = quote.parts;
  if (!report.tdAttributes.startsWith("00")) {
    throw refused("debug", "the virtual machine runs in debug mode, so its operator can read it");
  }
  await yieldToEventLoop();
  const platform = await ratePlatform(quote, parsedCollateral, nowMs);
  const { status, advisories } = worstRating([platform, rateTdxModule(tcbInfo, report)]);
  return {
    ...report,
    rtMr: report.rtMr.match(/.{96}/g) ?? [],
    tcbStatus: status,
    advisories,
    ...quote.platform,
    rootSha256: createHash("sha256").update(quote.root.raw).digest("hex"),
    tcbEvaluationNumber: Math.min(
      tcbInfo.tcbEvaluationDataNumber,
      qeIdentity.tcbEvaluationDataNumber,
    ),
    collateralUntilMs: validUntilMs,
  };
}

function worstRating(ratings: readonly TcbRating[]): TcbRating {
  const knownStatuses: readonly string[] = tcbStatuses;
  const rank = ({ status }: TcbRating) =>
    knownStatuses.includes(status) ? knownStatuses.indexOf(status) : knownStatuses.length;
  const [worst] = ratings.toSorted((a, b) => rank(b) - rank(a));
  const advisories = new Set(ratings.flatMap((rating) => rating.advisories));
  return { status: worst?.status ?? "Revoked", advisories: [...advisories].sort() };
}

function rateTdxModule(tcbInfo: TcbInfo, report: TdReport): TcbRating {
  const [svn = 0, version = 0] = Buffer.from(report.teeTcbSvn, "hex");
  const id = `TDX_${version.toString(16).padStart(2, "0").toUpperCase()}`;
  // The platform's rating covers module version 0.
  const levels = [{ tcb: { isvsvn: 0 }, tcbStatus: "UpToDate", advisoryIDs: [] }];
  const baseModule = tcbInfo.tdxModule && { ...tcbInfo.tdxModule, tcbLevels: levels };
  const listedModule = tcbInfo.tdxModuleIdentities?.find((known) => known.id.toUpperCase() === id);
  const identity = version === 0 ? baseModule : listedModule;
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

function requireIdentity(identity: TdxModule, { mrSignerSeam, seamAttributes }: TdReport): void {
  const mask = BigInt(`0x${identity.attributesMask}`);
  const attributes = BigInt(`0x${seamAttributes}`) & mask;
  const isSameSigner = identity.mrsigner.toLowerCase() === mrSignerSeam;
  const isSameModule = isSameSigner && attributes === (BigInt(`0x${identity.attributes}`) & mask);
  if (isSameModule && identity.attributes.length === 16 && identity.attributesMask.length === 16)
    return;
  const what = isSameSigner ? "attributes other than Intel's" : "a signer other than Intel";
  throw refused("tdx_module_mismatch", `the TDX module has ${what}`);
}
