import { accessSync, constants } from "node:fs";
import { EarshotError, errorMessage } from "../lib/errors.ts";
import { sqlite, sqliteResultCode } from "./result-codes.ts";

const meanings = new Map<number | string, "disk_full" | "not_writable" | "damaged" | "missing">([
  [sqlite.full, "disk_full"],
  ["ENOSPC", "disk_full"],
  ["EDQUOT", "disk_full"],
  [sqlite.readOnly, "not_writable"],
  ["EROFS", "not_writable"],
  ["EACCES", "not_writable"],
  ["EPERM", "not_writable"],
  [sqlite.corrupt, "damaged"],
  [sqlite.notADatabase, "damaged"],
  [sqlite.cannotOpen, "missing"],
  ["ENOENT", "missing"],
]);

export function folderError(thrown: unknown, path: string): unknown {
  if (thrown instanceof EarshotError) return thrown;
  const meaning = errorMeaning(thrown, path);
  const options = { cause: thrown };
  switch (meaning) {
    case "disk_full":
      return new EarshotError("disk_full", `the disk containing ${path} is full`, {
        ...options,
        hint: "free space there, or use a folder on another disk",
      });
    case "not_writable":
      return new EarshotError("not_writable", `${path} is not writable`, {
        ...options,
        hint: "check its permissions, and whether its disk is mounted read-only: SQLite writes there even to read",
      });
    case "damaged":
      return new EarshotError(
        "archive_damaged",
        `a file in ${path} is damaged (${errorMessage(thrown)})`,
        {
          ...options,
          hint: "find it with earshot archive check, or earshot control check for control.db; then restore a backup, or run earshot archive recover for catalog.db",
        },
      );
    case "missing":
      return new EarshotError("file_missing", `${path}: ${errorMessage(thrown)}`, {
        ...options,
        hint: "check that all its files exist",
      });
    default:
      return thrown;
  }
}

/** SQLite also reports a file as missing if it cannot write to the folder. */
function errorMeaning(thrown: unknown, path: string) {
  const meaning = meanings.get(errorCode(thrown));
  return meaning === "missing" && isReadOnly(path) ? "not_writable" : meaning;
}

function isReadOnly(path: string): boolean {
  try {
    requireWritable(path);
    return false;
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
}

export function requireWritable(folder: string): void {
  accessSync(folder, constants.W_OK);
}

function errorCode(thrown: unknown): number | string {
  if (!(thrown instanceof Error)) return "";
  return sqliteResultCode(thrown) ?? ("code" in thrown ? String(thrown.code) : "");
}
