// Takes evidence of the machine that it runs on, with collateral, checks what can be checked, and writes it all into a folder:
// what a machine shows for itself before any policy names it, and a draft of the policy that would.
//   node deploy/tee/record-evidence.mjs FOLDER [--runs 10] [--collateral-url URL | --collateral-dir FOLDER]
//   node deploy/tee/record-evidence.mjs FOLDER --simulated FOLDER, with what `earshot nodes simulate` wrote
// Nothing in the folder is secret. What the draft says has to be held against measurements from elsewhere before it is used.
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
import {
  collateralFileName,
  collateralKeyOf,
} from "../../src/remote/evidence/collateral-service.ts";
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

const say = (line) => stdout.write(`${line}\n`);

function write(name, content) {
  const text = typeof content === "object" && !Buffer.isBuffer(content);
  writeFileSync(join(folder, name), text ? `${JSON.stringify(content, null, 2)}\n` : content);
  say(`wrote ${join(folder, name)}`);
}

/** Evidence for the same 64 bytes, so many times; the last one counts. */
async function taken(provider, reportData) {
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

/** The root that quotes have to lead to: Intel's, unless a simulated one is named. */
async function rootDer() {
  const { simulated } = values;
  if (simulated === undefined) return await intelRoot();
  return new X509Certificate(readFileSync(join(simulated, "root.pem"))).raw;
}

/** A policy that would take this machine with this image. */
function draftOf(facts, composeHash, keyProvider) {
  const [rtmr0, rtmr1, rtmr2, rtmr3] = facts.rtMr;
  const image = { name: "a draft: say what it is", mrtd: facts.mrTd, rtmr: [rtmr0, rtmr1, rtmr2] };
  return {
    tcb_status: ["UpToDate"],
    accepted_advisories: [],
    min_tcb_evaluation_number: facts.tcbEvaluationNumber,
    images: [
      composeHash === null ? { ...image, rtmr3: /[^0]/.test(rtmr3) ? rtmr3 : "unused" } : image,
    ],
    compose_hashes: composeHash === null ? [] : [composeHash],
    key_providers: keyProvider === null ? [] : [named(keyProvider)],
    platforms: facts.platformInstanceId === null ? [] : [facts.platformInstanceId],
    td_attributes: facts.tdAttributes,
    xfam: facts.xfam,
    mr_config_versions: /[^0]/.test(facts.mrConfigId)
      ? [Number(`0x${facts.mrConfigId.slice(0, 2)}`)]
      : [],
  };
}

/** A key provider as a policy names it. */
const named = ({ name, id }) => (id === null ? { name } : { name, id });

async function record() {
  const kind = values.simulated === undefined ? "tdx" : "simulated";
  const provider = await openProvider(kind, values.simulated ?? "");
  mkdirSync(join(folder, "collateral"), { recursive: true });
  const reportData = randomBytes(64);
  const { evidence, durationsMs } = await taken(provider, reportData);
  const quote = Buffer.from(evidence.quote, "hex");
  write("evidence.json", { kind, report_data: reportData.toString("hex"), ...evidence });
  write("quote.bin", quote);
  say(`the quote took ${durationsMs.join(", ")} ms`);

  const signed = openQuote(quote, await rootDer(), systemClock.now());
  const collateral = await collateralOf(signed);
  write(join("collateral", collateralFileName(collateralKeyOf(signed))), collateral);
  const facts = await rateQuote(signed, collateral, systemClock.now());
  const log =
    evidence.event_log === null ? null : replayEventLog(evidence.event_log, facts.rtMr[3]);
  const composeHash = log?.composeHash ?? null;
  const holdsReportData = facts.reportData === reportData.toString("hex");
  write("facts.json", { ...facts, composeHash, eventLog: log, holdsReportData, durationsMs });
  write("policy.draft.json", draftOf(facts, composeHash, log?.keyProvider ?? null));
  say(`status ${facts.tcbStatus}, advisories ${facts.advisories.join(", ") || "none"}`);
  if (!holdsReportData) throw new Error("the quote holds other bytes than it was asked for");
  if (kind === "simulated") say("simulated: this proves nothing about the machine");
}

record().catch((fault) => {
  stderr.write(`record-evidence: ${fault.message}\n`);
  for (const { message } of fault.details ?? []) stderr.write(`  ${message}\n`);
  if (fault.hint !== undefined) stderr.write(`  ${fault.hint}\n`);
  exit(1);
});
