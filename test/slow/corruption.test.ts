import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ArchiveUnderTest,
  makeArchiveUnderTest,
  openForTrial,
} from "../../testkit/corruption/archive-under-test.ts";
import { isAffected, outcomeTable } from "../../testkit/corruption/outcome-table.ts";
import {
  type Answer,
  queriesById,
  type TrialQuery,
  trialQueries,
} from "../../testkit/corruption/queries.ts";
import { drawTrials, runTrial, type TrialReport } from "../../testkit/corruption/trials.ts";
import { testRuns, testSeed } from "../../testkit/seed.ts";

/** The number of concurrent trials. */
const lanes = 2;

/** One in this many trials is repaired. */
const repairedEvery = 3 * lanes;

const root = mkdtempSync(join(tmpdir(), "earshot-corruption-"));
const truth = new Map<TrialQuery, Answer>();
const reports: TrialReport[] = [];
let archive: ArchiveUnderTest;

beforeAll(async () => {
  archive = await makeArchiveUnderTest(root);
  await requestTruth();
  const trials = drawTrials(archive, testRuns(300), testSeed(1));
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (const [index, trial] of trials.entries()) {
        if (index % lanes !== lane) continue;
        const isRepaired = index % repairedEvery < lanes;
        const dataDir = join(root, `trial${lane}`);
        reports.push(await runTrial(archive, trial, truth, dataDir, isRepaired));
      }
    }),
  );
  console.log(outcomeTable(reports));
}, 1_200_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function requestTruth(): Promise<void> {
  const opened = await openForTrial(archive.dataDir);
  for (const query of trialQueries) truth.set(query, await query.answer(opened));
  const [, everything] = [...truth].find(([{ name }]) => name === "search social -nowhere") ?? [];
  for (const query of everything === undefined ? [] : queriesById(everything, 400)) {
    truth.set(query, await query.answer(opened));
  }
  await opened.close();
}

const describeTrial = ({ trial, location }: TrialReport): string =>
  `${trial.name} ${trial.file.path} ${trial.damage}: ${location}`;

const listAnswers = (...outcomes: readonly string[]): string[] =>
  reports.flatMap((report) =>
    report.compared
      .filter(({ outcome }) => outcomes.includes(outcome))
      .slice(0, 3)
      .map(
        ({ query, outcome, detail }) =>
          `${describeTrial(report)} → ${outcome} ${query.name}: ${detail}`,
      ),
  );

test("the healthy archive answers every query completely, with at least one result", () => {
  expect(truth.size).toBeGreaterThan(30);
  for (const [{ name }, { values, complete }] of truth) {
    expect(complete, name).toBe(true);
    expect(values.size, name).toBeGreaterThan(name.startsWith("post") ? 0 : 2);
  }
});

describe("a damaged archive", () => {
  test("a damaged archive marks no answer as complete that differs from the healthy one", () => {
    expect(listAnswers("wrong")).toEqual([]);
  });

  test("a damaged archive answers every query in time, and fails only with an error code", () => {
    expect(listAnswers("endless", "failed")).toEqual([]);
  });

  test("using a damaged archive loses no healthy file", () => {
    const removed = reports.filter((report) => report.removedFiles.length > 0);
    expect(removed.map((report) => `${describeTrial(report)}: ${report.removedFiles}`)).toEqual([]);
  });

  test("a damaged archive is reported by a full check wherever an answer changed, unless the start repaired it with a warning", () => {
    const silent = reports.filter(
      (report) =>
        report.checkError !== null ||
        (report.findings === 0 && report.warnings.length === 0 && isAffected(report)),
    );
    expect(silent.map((report) => `${describeTrial(report)}: ${report.checkError}`)).toEqual([]);
  });
});

test("searches of other platforms return the same results when one segment is damaged", () => {
  const changed = reports.flatMap((report) => {
    const { platform } = report.trial.file;
    if (platform === null) return [];
    return report.compared
      .filter(({ query }) => !query.platforms.includes(platform))
      .filter(({ outcome }) => outcome !== "correct")
      .map(({ query, detail }) => `${describeTrial(report)} → ${query.name}: ${detail}`);
  });
  expect(changed).toEqual([]);
});

test("an archive with a single damaged page still answers most queries", () => {
  const costly = reports.filter(
    ({ trial, compared, refusal, location }) =>
      trial.file.platform !== null &&
      pageErrors.has(trial.damage) &&
      !/sqlite_schema/.test(location) &&
      (refusal !== null ||
        compared.filter(({ outcome }) => outcome === "refused").length > compared.length / 2),
  );
  expect(costly.map(describeTrial)).toEqual([]);
});

const pageErrors: ReadonlySet<string> = new Set(["flipped bit", "zeroed page", "copied page"]);

/** These queries depend on data that only the catalog has. */
const onlyInCatalog: ReadonlySet<string> = new Set(["search social from:latest.example"]);

/** No page of these tables has more rows. */
const maxRowsPerPage = 60;

test("damaged segments are rebuilt with every readable post, and then lack only the lost ones", () => {
  const repaired = reports.filter((report) => report.repairReport !== null);
  expect(repaired.length).toBeGreaterThan(0);
  const errors = repaired.flatMap((report) => {
    const { lostPosts = [], compared = [], findings = 0 } = report.repairReport ?? {};
    // Posts may be lost here, and after catalog recovery.
    const differing = compared.filter(({ query, outcome, differences }) => {
      if (report.trial.file.kind === "catalog" && onlyInCatalog.has(query.name)) return false;
      return differences > 0 || (outcome !== "correct" && outcome !== "partial");
    });
    const isPostPage = / post, page|^post, page/.test(report.location);
    return [
      ...(lostPosts.length > (isPostPage ? maxRowsPerPage : 0)
        ? [`lost ${lostPosts.length} posts`]
        : []),
      ...(findings > 0 ? [`check finds ${findings}`] : []),
      ...differing
        .slice(0, 2)
        .map(({ query, outcome, detail }) => `${outcome} ${query.name}: ${detail}`),
    ].map((error) => `${describeTrial(report)} → ${error}`);
  });
  expect(errors).toEqual([]);
});
