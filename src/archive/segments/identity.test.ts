import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inTransaction } from "../database.ts";
import { createSegmentFile, identityIn, prepareLastWriteUpdate } from "./segment-file.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-identity-"));
const path = join(folder, "000003.db");
const identity = {
  uriKey: "a1",
  platform: "x",
  sequence: 3,
  low: 77n,
  createdInCommit: 5,
  lastWrittenInCommit: 5,
  replaces: 2,
};
let segment: DatabaseSync;

beforeAll(() => createSegmentFile(path, identity));
beforeEach(() => {
  segment = new DatabaseSync(path);
  segment.exec("BEGIN");
  return () => {
    if (segment.isTransaction) segment.exec("ROLLBACK");
    segment.close();
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a segment's identity is read as written, even after later writes", () => {
  expect(identityIn(path)).toEqual(identity);
  segment.exec("COMMIT");
  inTransaction(segment, () => prepareLastWriteUpdate(segment)(9));
  expect(identityIn(path)).toEqual({ ...identity, lastWrittenInCommit: 9 });
  inTransaction(segment, () => prepareLastWriteUpdate(segment)(5));
});

test.for(["uri_key", "platform", "sequence", "low", "made_in", "written_in", "replaces"])(
  "a segment's identity with a changed %s is unreadable, not that of another segment",
  (name) => {
    const value = typeof identityValue(name) === "string" ? "'b2'" : "value + 64";
    segment.exec(`COMMIT; UPDATE setting SET value = ${value} WHERE name = '${name}'`);
    expect(identityIn(path)).toBe("unreadable");
    const restored = identityValue(name);
    segment.prepare("UPDATE setting SET value = ? WHERE name = ?").run(restored, name);
    expect(identityIn(path)).toEqual(identity);
  },
);

function identityValue(name: string): string | number | bigint {
  const values: Record<string, string | number | bigint> = {
    uri_key: identity.uriKey,
    platform: identity.platform,
    sequence: identity.sequence,
    low: identity.low,
    made_in: identity.createdInCommit,
    written_in: identity.lastWrittenInCommit,
    replaces: identity.replaces,
  };
  return values[name] ?? 0;
}
