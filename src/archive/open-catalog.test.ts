import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePost } from "../../test/support/make-post.ts";
import { type SmallArchive, smallArchive } from "../../test/support/small-archive.ts";
import { systemClock } from "../lib/clock.ts";
import { analyzerVersion } from "../text/analyze.ts";
import { openArchive } from "./open.ts";
import { openCatalog } from "./open-catalog.ts";

/** An archive whose terms another analyzer made is refused, as queries would silently miss posts. */
let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive();
});
afterEach(() => archive.remove());

const outdated = expect.objectContaining({ code: "archive_outdated" });
const newer = expect.objectContaining({ code: "newer_schema" });

/** What another version of the program would have noted. */
function note(version: number | null): void {
  const catalog = openCatalog(archive.folder);
  if (version === null) catalog.exec("DELETE FROM setting WHERE name = 'analyzer'");
  else catalog.prepare("UPDATE setting SET value = ? WHERE name = 'analyzer'").run(`${version}`);
  catalog.close();
}

function noted(folder: string): number {
  const catalog = openCatalog(folder);
  const row = catalog.prepare("SELECT value FROM setting WHERE name = 'analyzer'").get();
  catalog.close();
  return Number(row?.value);
}

test("a new archive notes the analyzer that makes its terms", () => {
  expect(noted(archive.folder)).toBe(analyzerVersion);
});

describe("an archive that holds posts", () => {
  beforeEach(() => {
    archive.put(makePost());
  });

  test.each([
    ["of an earlier analyzer", analyzerVersion - 1, outdated],
    ["of an analyzer that nobody noted", null, outdated],
    ["of a later analyzer", analyzerVersion + 1, newer],
  ])("%s is refused, however often it is opened", (_name, version, refusal) => {
    note(version);
    expect(() => openCatalog(archive.folder)).toThrow(refusal);
    expect(() => openCatalog(archive.folder)).toThrow(refusal);
  });

  test("of an earlier analyzer is refused by all who open it, with what to do", async () => {
    note(analyzerVersion - 1);
    const settings = { dataDir: dirname(archive.folder), readers: 1, segmentPosts: 10 };
    const opening = openArchive({ ...settings, clock: systemClock });
    await expect(opening).rejects.toMatchObject({
      code: "archive_outdated",
      message: expect.stringContaining(archive.folder),
      hint: expect.stringMatching(/move this folder away and import/),
    });
  });

  test.each([
    ["an earlier", analyzerVersion - 1, outdated],
    ["a later", analyzerVersion + 1, newer],
  ])(
    "and that %s version takes over is neither read nor written any more",
    (_name, version, refusal) => {
      const everything = { plan: { kind: "all" } } as const;
      expect(archive.search(everything).positions).toHaveLength(1);
      note(version);
      expect(() => archive.search(everything)).toThrow(refusal);
      expect(() => archive.put(makePost({ key: "2" }))).toThrow(refusal);
    },
  );
});

describe("an archive without posts", () => {
  test.each([analyzerVersion - 1, null])(
    "of the earlier analyzer %s becomes one of this",
    (version) => {
      note(version);
      expect(noted(archive.folder)).toBe(analyzerVersion);
      archive.reopen();
      expect(archive.put(makePost())).toMatchObject({ inserted: 1 });
    },
  );

  test("of a later one is refused", () => {
    note(analyzerVersion + 1);
    expect(() => openCatalog(archive.folder)).toThrow(newer);
  });

  test("is made where there is no folder's content yet, by several at once", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "earshot-catalog-"));
    const folder = join(dataDir, "archive");
    mkdirSync(folder);
    const settings = { dataDir, readers: 1, segmentPosts: 10, clock: systemClock };
    const opened = await Promise.all([openArchive(settings), openArchive(settings)]);
    expect(noted(folder)).toBe(analyzerVersion);
    await Promise.all(opened.map((held) => held.close()));
    rmSync(dataDir, { recursive: true, force: true });
  });
});
