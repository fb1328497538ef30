import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { requireCollateral } from "./collateral-check.ts";
import { readCollateral } from "./collateral-text.ts";
import type { Collateral, QuoteFacts } from "./evidence.ts";
import { tcbStatuses } from "./policy.ts";
import { ratePlatform } from "./quote-library.ts";
import { readOrRefuse, refused } from "./refusal.ts";
import type { SignedQuote } from "./signed-quote.ts";
import { rateTdxModule, type TcbRating } from "./tdx-module.ts";

/** Offline. */
export async function rateQuote(
  quote: SignedQuote,
  collateral: Collateral,
  nowMs: number,
): Promise<QuoteFacts> {
  await nextTurn();
  const read = readOrRefuse("collateral_malformed", "the collateral is malformed", () =>
    readCollateral(collateral),
  );
  const { tcbInfo, qeIdentity, untilMs } = requireCollateral(read, quote, nowMs);
  const { report } = quote.parts;
  if (!report.tdAttributes.startsWith("00")) {
    throw refused("debug", "the virtual machine runs in debug mode, so its operator can read it");
  }
  await nextTurn();
  const platform = await ratePlatform(quote, read, nowMs);
  const { status, advisories } = worstOf([platform, rateTdxModule(tcbInfo, report)]);
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
    collateralUntilMs: untilMs,
  };
}

function worstOf(ratings: readonly TcbRating[]): TcbRating {
  const known: readonly string[] = tcbStatuses;
  const rank = ({ status }: TcbRating) =>
    known.includes(status) ? known.indexOf(status) : known.length;
  const [worst] = ratings.toSorted((a, b) => rank(b) - rank(a));
  const advisories = new Set(ratings.flatMap((rating) => rating.advisories));
  return { status: worst?.status ?? "Revoked", advisories: [...advisories].sort() };
}
