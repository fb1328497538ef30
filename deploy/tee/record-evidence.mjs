// Collects this machine's evidence and its collateral, verifies them as far as possible without a policy,
// and writes them to a folder, with a draft of a policy that accepts the machine.
//   node deploy/tee/record-evidence.mjs FOLDER [--runs 10] [--collateral-url URL | --collateral-dir FOLDER]
//   node deploy/tee/record-evidence.mjs FOLDER --simulated FOLDER, written by `earshot nodes simulate`
// Nothing in the folder is secret. Before using the draft, compare it with measurements from an
// independent source.
import { randomBytes, X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit, stderr, stdout } from "node:process";
import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { createGuard } from "../../src/lib/guard.ts";
import { createGuardedFetch } from "../../src/lib/guarded-fetch.ts";
import {
  collateralFromFolder,
  collateralFromService,
} from "../../src/remote/evidence/collateral.ts";
import { collateralFileName, collateralKey } from "../../src/remote/evidence/collateral-service.ts";
import { replayEventLog } from "../../src/remote/evidence/event-log.ts";
import { openProvider } from "../../src/remote/evidence/providers.ts";
import { rateQuote } from "../../src/remote/evidence/quote.ts";
import { intelRoot } from "../../src/remote/evidence/quote-library.ts";
import { openQuote } from "../../src/remote/evidence/signed-quote.ts";

const { positionals, values } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "1" },
    "collateral-url": { type: "string", default: "https://api.trustedservices.intel.com" },
    "collateral-dir": { type: "string" },
    simulated: { type: "string" },
  },
});
const [folder] = positionals;
const runs = Number(values.runs);
if (folder === undefined || positionals.length > 1 || !(Number.isInteger(runs) && runs > 0)) {
  stderr.write(
    "usage: node deploy/tee/record-evidence.mjs FOLDER [--runs 10] [--collateral-url URL]\n",
  );
  exit(2);
}

const print = (line) => stdout.write(`${line}\n`);

function write(name, content) {
  const isJson = typeof content === "object" && !Buffer.isBuffer(content);
  writeFileSync(join(folder, name), isJson ? `${JSON.stringify(content, null, 2)}\n` : content);
  print(`wrote ${join(folder, name)}`);
}

/** Requests evidence for the same 64 bytes `runs` times; returns the last evidence and all durations. */
async function takeEvidence(provider, reportData) {
  const durationsMs = [];
  let evidence = null;
  for (let run = 0; run < runs; run += 1) {
    const startMs = systemClock.elapsed();
    evidence = await provider.evidenceFor(reportData);
    durationsMs.push(Math.round((systemClock.elapsed() - startMs) * 10) / 10);
  }
  return { evidence, durationsMs };
}

async function collateralOf(quote) {
  const { simulated } = values;
  const dir = simulated === undefined ? values["collateral-dir"] : join(simulated, "collateral");
  if (dir !== undefined) return await collateralFromFolder(dir)(quote);
  const url = values["collateral-url"];
  const fetch = createGuardedFetch({
    guard: createGuard([url]),
    userAgent: "earshot-record-evidence",
    timeoutMs: 30_000,
    maxBytes: 4_194_304,
    maxRedirects: 0,
  });
  try {
    return await collateralFromService({ url, fetch, clock: systemClock, maxAgeMs: 3_600_000 })(
      quote,
    );
  } finally {
    await fetch.close();
  }
}

/** The root certificate to which quotes must chain: Intel's or the simulated one. */
async function rootDer() {
  const { simulated } = values;
  if (simulated === undefined) return await intelRoot();
  return new X509Certificate(readFileSync(join(simulated, "root.pem"))).raw;
}

function draftPolicy(facts, composeHash, keyProvider) {
  const [rtmr0, rtmr1, rtmr2, rtmr3] = facts.rtMr;
  const image = { name: "a draft: name the image", mrtd: facts.mrTd, rtmr: [rtmr0, rtmr1, rtmr2] };
  return {
    tcb_status: ["UpToDate"],
    accepted_advisories: [],
    min_tcb_evaluation_number: facts.tcbEvaluationNumber,
    images: [
      composeHash === null ? { ...image, rtmr3: /[^0]/.test(rtmr3) ? rtmr3 : "unused" } : image,
    ],
    compose_hashes: composeHash === null ? [] : [composeHash],
    key_providers: keyProvider === null ? [] : [policyEntryOf(keyProvider)],
    platforms: facts.platformInstanceId === null ? [] : [facts.platformInstanceId],
    td_attributes: facts.tdAttributes,
    xfam: facts.xfam,
    mr_config_versions: /[^0]/.test(facts.mrConfigId)
      ? [Number(`0x${facts.mrConfigId.slice(0, 2)}`)]
      : [],
  };
}

const policyEntryOf = ({ name, id }) => (id === null ? { name } : { name, id });

async function record() {
  const kind = values.simulated === undefined ? "tdx" : "simulated";
  const provider = await openProvider(kind, values.simulated ?? "");
  mkdirSync(join(folder, "collateral"), { recursive: true });
  const reportData = randomBytes(64);
  const { evidence, durationsMs } = await takeEvidence(provider, reportData);
  const quote = Buffer.from(evidence.quote, "hex");
  write("evidence.json", { kind, report_data: reportData.toString("hex"), ...evidence });
  write("quote.bin", quote);
  print(`the quote took ${durationsMs.join(", ")} ms`);

  const signed = openQuote(quote, await rootDer(), systemClock.now());
  const collateral = await collateralOf(signed);
  write(join("collateral", collateralFileName(collateralKey(signed))), collateral);
  const facts = await rateQuote(signed, collateral, systemClock.now());
  const log =
    evidence.event_log === null ? null : replayEventLog(evidence.event_log, facts.rtMr[3]);
  const composeHash = log?.composeHash ?? null;
  const hasReportData = facts.reportData === reportData.toString("hex");
  write("facts.json", { ...facts, composeHash, eventLog: log, hasReportData, durationsMs });
  write("policy.draft.json", draftPolicy(facts, composeHash, log?.keyProvider ?? null));
  print(`status ${facts.tcbStatus}, advisories ${facts.advisories.join(", ") || "none"}`);
  if (!hasReportData) throw new Error("the quote does not contain the requested report data");
  if (kind === "simulated") print("simulated: this proves nothing about the machine");
}

record().catch((error) => {
  stderr.write(`record-evidence: ${error.message}\n`);
  for (const { message } of error.details ?? []) stderr.write(`  ${message}\n`);
  if (error.hint !== undefined) stderr.write(`  ${error.hint}\n`);
  exit(1);
});
