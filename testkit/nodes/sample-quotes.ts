import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCollateral } from "../../src/remote/evidence/collateral-text.ts";
import type { Collateral } from "../../src/remote/evidence/evidence.ts";

/** Quotes from real machines; not in the repository. */
const folder = join(import.meta.dirname, "../../../shared/data/tee");

export const hasSampleQuotes = (): boolean => existsSync(join(folder, "tdx_quote"));

export function sampleQuote(name: string): Uint8Array {
  const bytes = readFileSync(join(folder, name));
  return name.endsWith(".hex") ? Buffer.from(bytes.toString("latin1").trim(), "hex") : bytes;
}

export function sampleCollateral(name: string): Collateral {
  return readCollateral(JSON.parse(readFileSync(join(folder, name), "utf8")));
}

export function sampleReport(): { quote: Uint8Array; eventLog: string; reportData: string } {
  const report = JSON.parse(readFileSync(join(folder, "dstack-quote-report.json"), "utf8"));
  return {
    quote: Buffer.from(report.quote, "hex"),
    eventLog: report.event_log,
    reportData: report.report_data,
  };
}
