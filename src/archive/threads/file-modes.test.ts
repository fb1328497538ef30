import { chmodSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive(2);
});
afterEach(() => archive.remove());

const openToOthers = (): string[] =>
  readdirSync(archive.folder, { recursive: true, withFileTypes: true })
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) => path.slice(dirname(archive.folder).length));

test("catalog, segments, copies and write-ahead logs are private to their owner", () => {
  for (const key of ["1", "2", "3"]) archive.put(makePost({ key }));
  archive.seal();
  expect(openToOthers()).toEqual([]);
});

test("archive files and folders readable by others are restricted on opening", () => {
  archive.put(makePost());
  for (const file of readdirSync(archive.folder, { recursive: true, withFileTypes: true })) {
    chmodSync(join(file.parentPath, file.name), file.isFile() ? 0o644 : 0o755);
  }
  expect(openToOthers()).not.toEqual([]);
  archive.reopen();
  archive.put(makePost({ key: "2" }));
  expect(openToOthers()).toEqual([]);
});
