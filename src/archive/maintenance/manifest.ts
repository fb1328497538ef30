import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EarshotError } from "../../lib/errors.ts";
import { isoText } from "../../lib/iso-time.ts";
import { platforms } from "../../posts/post.ts";
import { catalogMigrations } from "../catalog/schema.ts";
import { segmentMigrations } from "../segments/schema.ts";

/** Written last: a backup without a manifest is incomplete. */
export type Manifest = {
  /** ISO 8601. */
  takenAt: string;
  posts: number;
  catalogSchema: number;
  segmentSchema: number;
  files: readonly BackupFile[];
};

export type BackupFile = { path: string; bytes: number; sha256: string };

const format = "earshot archive backup 1";

export const manifestPath = (folder: string): string => join(folder, "manifest.json");

export const makeManifest = (
  takenAtMs: number,
  posts: number,
  files: readonly BackupFile[],
): Manifest => ({
  takenAt: isoText(takenAtMs),
  posts,
  catalogSchema: catalogMigrations.length,
  segmentSchema: segmentMigrations.length,
  files,
});

export function manifestText({ takenAt, posts, catalogSchema, segmentSchema, files }: Manifest) {
  const body = {
    format,
    taken_at: takenAt,
    posts,
    catalog_schema: catalogSchema,
    segment_schema: segmentSchema,
    files,
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}

/** Errors: `backup_incomplete`, `backup_damaged`, `newer_schema`. */
export async function readManifest(folder: string): Promise<Manifest> {
  const parsed = parse(await readManifestText(folder));
  if (parsed === null || typeof parsed !== "object") throw manifestUnreadable(folder);
  const body = parsed as Record<string, unknown>;
  if (body.format !== format) throw manifestUnreadable(folder);
  const manifest = {
    takenAt: String(body.taken_at),
    posts: Number(body.posts),
    catalogSchema: Number(body.catalog_schema),
    segmentSchema: Number(body.segment_schema),
    files: body.files as BackupFile[],
  };
  if (!Array.isArray(manifest.files) || !manifest.files.every(isFile))
    throw manifestUnreadable(folder);
  if (!manifest.files.some(({ path }) => path === "catalog.db")) throw manifestUnreadable(folder);
  const isNewer =
    manifest.catalogSchema > catalogMigrations.length ||
    manifest.segmentSchema > segmentMigrations.length;
  if (!isNewer) return manifest;
  throw new EarshotError("newer_schema", `${folder} was written by a later version of Earshot`, {
    hint: "restore it with that version",
  });
}

async function readManifestText(folder: string): Promise<string> {
  try {
    return await readFile(manifestPath(folder), "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new EarshotError("backup_incomplete", `${folder} is not a complete backup`, {
      hint: "use a folder that contains manifest.json, which is written last",
      cause: error,
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const filePath = new RegExp(`^(?:catalog|(?:${platforms.join("|")})/\\d{6,15})\\.db$`);

function isFile(file: unknown): file is BackupFile {
  if (file === null || typeof file !== "object") return false;
  const { path, bytes, sha256 } = file as Record<string, unknown>;
  return (
    typeof path === "string" &&
    filePath.test(path) &&
    Number.isSafeInteger(bytes) &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256)
  );
}

function manifestUnreadable(folder: string): EarshotError {
  return new EarshotError("backup_damaged", `${manifestPath(folder)} cannot be read`, {
    hint: "use another backup",
  });
}
