import { expect, test } from "vitest";
import { EarshotError } from "../lib/errors.ts";
import { isDiskError } from "./result-codes.ts";

const withFields = (fields: object) => Object.assign(new Error("it failed"), fields);

test.each([
  ["SQLITE_FULL", { errcode: 13 }],
  ["SQLITE_IOERR_SHMSIZE", { errcode: 4_874 }],
  ["SQLITE_READONLY", { errcode: 8 }],
  ["ENOSPC", { code: "ENOSPC" }],
  ["EDQUOT", { code: "EDQUOT" }],
  ["EROFS", { code: "EROFS" }],
])("%s is a disk error, directly or as a cause", (_name, fields) => {
  expect(isDiskError(withFields(fields))).toBe(true);
  const outer = new EarshotError("archive_unavailable", "x", { cause: withFields(fields) });
  expect(isDiskError(outer)).toBe(true);
});

test.each([
  ["SQLITE_CORRUPT", withFields({ errcode: 11 })],
  ["ENOENT", withFields({ code: "ENOENT" })],
  ["a search error", new EarshotError("archive_unavailable", "x", { retryable: true })],
  ["nothing", null],
])("%s is not a disk error", (_name, thrown) => {
  expect(isDiskError(thrown)).toBe(false);
});
