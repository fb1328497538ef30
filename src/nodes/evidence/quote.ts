import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { requireCollateral } from "./collateral-check.ts";
import { readCollateral } from "./collateral-text.ts";
import type { Collateral, QuoteFacts } from "./evidence.ts";
import { intelRoot, ratePlatform } from "./platform-rating.ts";
import type { QuoteParts } from "./quote-reader.ts";
import { readOrRefuse, refused } from "./refusal.ts";
import { openQuote, type SignedQuote } from "./signed-quote.ts";
import { rateTdxModule, worstOf } from "./tcb-rating.ts";

/**
 * Verifies a quote by its collateral as of a time, down to `rootDer` or else Intel's root, without the network. What it says is true of the machine
 * then; whether that is good enough is for a policy to say.
 *
 * Errors: `evidence_refused` (403), the check that failed in the code of its first detail.
 */
export async function verifyQuote(
  quote: Uint8Array,
  collateral: Collateral,
  nowMs: number,
  { rootDer }: { rootDer?: Uint8Array } = {},
): Promise<QuoteFacts> {
  const signed = openQuote(quote, rootDer ?? (await intelRoot()), nowMs);
  return judgeQuote(signed, collateral, nowMs);
}

/** As `verifyQuote`, for a quote whose own signatures were verified already. */
export async function judgeQuote(
  quote: SignedQuote,
  collateral: Collateral,
  nowMs: number,
): Promise<QuoteFacts> {
  // Each of the steps takes milliseconds, and others wait for their turn.
  await nextTurn();
  const given = readOrRefuse("collateral_malformed", "the collateral has another form", () =>
    readCollateral(collateral),
  );
  const { tcbInfo, qeIdentity, untilMs } = requireCollateral(given, quote, nowMs);
  const { tcbEvaluationDataNumber: ofMachine } = tcbInfo;
  const tcbEvaluationNumber = Math.min(ofMachine, qeIdentity.tcbEvaluationDataNumber);
  requireNoDebug(quote.parts);
  await nextTurn();
  const platform = await ratePlatform(quote, given, nowMs);
  const { report } = quote.parts;
  const { status, advisories } = worstOf([platform, rateTdxModule(tcbInfo, report)]);
  return {
    tcbStatus: status,
    advisories,
    ...quote.platform,
    rootSha256: createHash("sha256").update(quote.root.raw).digest("hex"),
    tcbEvaluationNumber,
    collateralUntilMs: untilMs,
    reportData: hex(report.reportData),
    mrTd: hex(report.mrTd),
    rtMr: report.rtMr.map(hex),
    mrSeam: hex(report.mrSeam),
    mrConfigId: hex(report.mrConfigId),
    mrOwner: hex(report.mrOwner),
    mrOwnerConfig: hex(report.mrOwnerConfig),
    tdAttributes: hex(report.tdAttributes),
    xfam: hex(report.xfam),
  };
}

const hex = (bytes: Buffer) => bytes.toString("hex");

function requireNoDebug({ report }: QuoteParts): void {
  if (report.tdAttributes[0] !== 0) {
    throw refused(
      "debug",
      "the virtual machine can be debugged: its operator can read all that is in it",
    );
  }
}
