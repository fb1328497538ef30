import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { requireCollateral } from "./collateral-check.ts";
import { readCollateral } from "./collateral-text.ts";
import type { Collateral, QuoteFacts } from "./evidence.ts";
import { intelRoot } from "./intel-root.ts";
import { ratePlatform } from "./platform-rating.ts";
import type { QuoteParts, TdReport } from "./quote-reader.ts";
import { readOrRefuse, refused } from "./refusal.ts";
import { openQuote, type SignedQuote } from "./signed-quote.ts";
import { worstOf } from "./tcb-status.ts";
import { rateTdxModule } from "./tdx-module.ts";

export type QuoteOptions = {
  /** Which root the quote has to lead to; Intel's when absent. */
  rootDer?: Uint8Array;
  /** Collateral of an older evaluation than this is refused. */
  minTcbEvaluationNumber?: number;
};

/**
 * Verifies a quote by its collateral as of a time, down to a pinned root, asking nobody. What it says is true of the machine
 * then; whether that is good enough is for a policy to say.
 *
 * Errors: `quote_refused` (403), the check that failed in the code of its first detail.
 */
export async function verifyQuote(
  quote: Uint8Array,
  collateral: Collateral,
  nowMs: number,
  options: QuoteOptions = {},
): Promise<QuoteFacts> {
  const signed = openQuote(quote, options.rootDer ?? (await intelRoot()), nowMs);
  return judgeQuote(signed, collateral, nowMs, options.minTcbEvaluationNumber ?? 0);
}

/** As `verifyQuote`, for a quote whose own signatures were verified already. */
export async function judgeQuote(
  quote: SignedQuote,
  collateral: Collateral,
  nowMs: number,
  minTcbEvaluationNumber: number,
): Promise<QuoteFacts> {
  // Each of the steps takes milliseconds, and others wait for their turn.
  await nextTurn();
  const given = readOrRefuse("collateral_malformed", "the collateral has another form", () =>
    readCollateral(collateral),
  );
  const { tcbInfo, qeIdentity, untilMs } = requireCollateral(given, quote, nowMs);
  const { tcbEvaluationDataNumber: ofMachine } = tcbInfo;
  const tcbEvaluationNumber = Math.min(ofMachine, qeIdentity.tcbEvaluationDataNumber);
  if (tcbEvaluationNumber < minTcbEvaluationNumber) {
    throw refused(
      "tcb_evaluation_outdated",
      `the collateral is of evaluation ${tcbEvaluationNumber}, and ${minTcbEvaluationNumber} is asked for`,
    );
  }
  requireNoDebug(quote.parts);
  await nextTurn();
  const platform = await ratePlatform(quote, given, nowMs);
  const { report } = quote.parts;
  const module = report.kind === "td" ? [rateTdxModule(tcbInfo, report)] : [];
  const { status, advisories } = worstOf([platform, ...module]);
  return {
    tee: quote.parts.tee,
    tcbStatus: status,
    advisories,
    ...quote.platform,
    rootSha256: createHash("sha256").update(quote.root.raw).digest("hex"),
    tcbEvaluationNumber,
    collateralUntilMs: untilMs,
    reportData: report.reportData.toString("hex"),
    ...(report.kind === "td" ? measurementsOf(report) : noMeasurements),
  };
}

function requireNoDebug({ report }: QuoteParts): void {
  const isDebug =
    report.kind === "td" ? report.tdAttributes[0] !== 0 : ((report.attributes[0] ?? 0) & 2) !== 0;
  if (isDebug) {
    throw refused(
      "debug",
      "the virtual machine can be debugged: its operator can read all that is in it",
    );
  }
}

type Measurements = Pick<
  QuoteFacts,
  "mrTd" | "rtMr" | "mrSeam" | "mrConfigId" | "mrOwner" | "mrOwnerConfig" | "tdAttributes" | "xfam"
>;

const hex = (bytes: Buffer) => bytes.toString("hex");

const measurementsOf = (report: TdReport): Measurements => ({
  mrTd: hex(report.mrTd),
  rtMr: report.rtMr.map(hex),
  mrSeam: hex(report.mrSeam),
  mrConfigId: hex(report.mrConfigId),
  mrOwner: hex(report.mrOwner),
  mrOwnerConfig: hex(report.mrOwnerConfig),
  tdAttributes: hex(report.tdAttributes),
  xfam: hex(report.xfam),
});

const noMeasurements: Measurements = {
  mrTd: "",
  rtMr: [],
  mrSeam: "",
  mrConfigId: "",
  mrOwner: "",
  mrOwnerConfig: "",
  tdAttributes: "",
  xfam: "",
};
