import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Archive } from "../../archive/archive.ts";
import { openArchive } from "../../archive/threads/open.ts";
import { systemClock } from "../../lib/clock.ts";
import { csvFormat } from "../import/formats/csv.ts";
import type { ImportFormat } from "../import/formats/format.ts";
import { importFile } from "../import/import-file.ts";
import { defaultImportLimits } from "../import/settings.ts";
import { startImportThreads } from "./import-threads.ts";

let folder: string;
let archive: Archive;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "earshot-import-threads-"));
  archive = await openArchive({
    dataDir: folder,
    readers: 1,
    segmentPosts: 100_000,
    clock: systemClock,
  });
});
afterEach(async () => {
  await archive.close();
  rmSync(folder, { recursive: true, force: true });
});

async function runImport(content: string, format?: ImportFormat) {
  const file = join(folder, "posts");
  writeFileSync(file, content);
  const analysis = startImportThreads(archive.preparation, 2);
  const rejected: string[] = [];
  try {
    const summary = await importFile({
      archive,
      analysis,
      clock: systemClock,
      file,
      standardInput: Readable.from([]),
      platform: "x",
      ...(format === undefined ? {} : { format }),
      dataDir: folder,
      covers: null,
      onBadLine: "reject",
      limits: defaultImportLimits,
      onRejected: ({ line, reason }) => rejected.push(`${line}: ${reason}`),
    });
    await archive.finishImport();
    return { summary, rejected };
  } finally {
    await analysis.close();
  }
}

async function readTexts(ids: readonly number[]): Promise<string[]> {
  const positions = ids.map((id) => ({ id: BigInt(id), platform: "x" as const }));
  const { records } = await archive.records(positions);
  return records.map((record) => JSON.parse(record).Content);
}

test("batches of an import are written in file order even if several threads analyse them", async () => {
  const lines = Array.from({ length: 17_000 }, (_, n) =>
    n % 6_000 === 5_999
      ? "not JSON"
      : `{"id":"${1 + (n % 12_000)}","author":"a","created_at":"2015-01-01","text":"${n}"}`,
  );
  const { summary, rejected } = await runImport(lines.join("\n"));
  expect(summary).toMatchObject({ imported: 11_998, updated: 5_000, rejected: 2 });
  expect(rejected.map((reason) => reason.split(":")[0])).toEqual(["6000", "12000"]);
  expect(await readTexts([1, 5_000, 5_001, 11_999])).toEqual(["12000", "16999", "5000", "11998"]);
});

test("an import detects the language of a post that declares none", async () => {
  const text = "Heute ist das Wetter schön und wir gehen in den Park";
  const format = csvFormat({ platform: "x", columns: new Map(), author: "ann" });
  await runImport(`id,created_at,text\n7,2015-01-01,${text}\n`, format);
  const { records } = await archive.records([{ id: 7n, platform: "x" }]);
  expect(records.map((record) => JSON.parse(record).Metadata.lang)).toEqual(["de"]);
});
