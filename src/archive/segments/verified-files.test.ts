import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { segmentPath } from "../catalog/catalog.ts";
import {
  createVerifiedFiles,
  damageMarkerPath,
  useVerifiedFiles,
  type VerifiedFiles,
} from "./integrity.ts";
import { createSealedCaches } from "./sealed-index-reader.ts";
import { openSegment } from "./segment.ts";

function* twoSteps(onEnd: () => void): Generator<void, void> {
  yield;
  onEnd();
}

const countingVerification = () => {
  const count = { runs: 0, verify: () => twoSteps(() => (count.runs += 1)) };
  return count;
};

const run = (steps: Iterable<void>): number => [...steps].length;

test("a file that one thread has verified is not verified again", () => {
  const shared = createVerifiedFiles();
  const count = countingVerification();
  for (const thread of [useVerifiedFiles(shared), useVerifiedFiles(shared)]) {
    run(thread.once("/a/1.db", count.verify));
    run(thread.once("/a/1.db", count.verify));
  }
  expect(count.runs).toBe(1);
  run(useVerifiedFiles(shared).once("/a/2.db", count.verify));
  expect(count.runs).toBe(2);
});

test("a thread waits in short slices while another one verifies the file", () => {
  const shared = createVerifiedFiles();
  const count = countingVerification();
  const first = useVerifiedFiles(shared).once("/a/1.db", count.verify);
  first.next();
  const second = useVerifiedFiles(shared).once("/a/1.db", count.verify);
  for (let step = 0; step < 3; step++) expect(second.next().done).toBe(false);
  expect(first.next().done).toBe(true);
  expect(second.next().done).toBe(true);
  expect(count.runs).toBe(1);
});

test("a waiting thread takes over an abandoned or failed verification", () => {
  const shared = createVerifiedFiles();
  const count = countingVerification();
  const first = useVerifiedFiles(shared).once("/a/1.db", count.verify);
  first.next();
  const second = useVerifiedFiles(shared).once("/a/1.db", count.verify);
  second.next();
  first.return();
  run(second);
  expect(count.runs).toBe(1);
  const failing = useVerifiedFiles(shared).once("/a/2.db", () => {
    throw new Error("the disk failed");
  });
  expect(() => run(failing)).toThrow("the disk failed");
  run(useVerifiedFiles(shared).once("/a/2.db", count.verify));
  expect(count.runs).toBe(2);
});

test("two searches of one thread never wait for each other's verification", () => {
  const thread = useVerifiedFiles();
  const count = countingVerification();
  const first = thread.once("/a/1.db", count.verify);
  first.next();
  run(thread.once("/a/1.db", count.verify));
  run(first);
  expect(count.runs).toBe(2);
});

test("a segment is verified only by the first thread that opens it", () => {
  const archive = smallArchive(100);
  try {
    archive.put(makePost({ key: "one" }));
    const path = segmentPath(archive.folder, { platform: "bluesky", sequence: 1 });
    const shared = createVerifiedFiles();
    const verify = (files: VerifiedFiles): void => {
      const segment = openSegment(path, "bluesky", 500, createSealedCaches(undefined, null, files));
      run(segment.verify(() => false));
      segment.close();
    };
    verify(useVerifiedFiles(shared));
    const database = new DatabaseSync(path);
    database.exec("INSERT INTO hidden VALUES(5)");
    database.close();
    verify(useVerifiedFiles(shared));
    expect(existsSync(damageMarkerPath(path))).toBe(false);
    verify(useVerifiedFiles());
    expect(existsSync(damageMarkerPath(path))).toBe(true);
  } finally {
    archive.remove();
  }
});
