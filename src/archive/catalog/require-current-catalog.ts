import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { schemaVersion } from "../../db/connection.ts";
import { readStoreId, storeIdPath } from "../../db/store-id.ts";
import { EarshotError } from "../../lib/errors.ts";
import { platforms } from "../../posts/post.ts";
import { bigIntPreparer, openForReading } from "../database.ts";
import { identityIn, type SegmentIdentity, segmentMissing } from "../segments/segment-file.ts";
import { fileSize, segmentNumbersIn } from "./archive-files.ts";
import { archiveId } from "./archive-id.ts";
import { catalogPath, segmentPath } from "./catalog.ts";
import { catalogMigrations } from "./schema.ts";

/**
 * Verifies that a catalog belongs to the segments in its folder. If it is lost, emptied or restored
 * from an earlier copy, unlisted segments would be mistaken for leftovers of a crash.
 *
 * A crash leaves segments at most one commit ahead of the catalog. Segments are read before the
 * catalog, whose commit number only grows, so no lock is needed. A segment with a lower commit
 * number than the catalog lists is an earlier copy.
 *
 * Errors: `catalog_missing`, `catalog_older`, `catalog_foreign`, `segment_missing`,
 * `segment_older`, `archive_missing`.
 */
export function requireCurrentCatalog(folder: string): void {
  const problem = catalogProblem(folder);
  if (problem !== null) throw problem;
}

const maxTries = 3;

export function catalogProblem(folder: string): EarshotError | null {
  for (let tries = 1; ; tries += 1) {
    const problem = findProblem(folder);
    if (problem === null || tries === maxTries) return problem;
  }
}

type SegmentFile = { name: string; path: string; identity: ReturnType<typeof identityIn> };

type CatalogState = {
  uriKey: string;
  commitNumber: number;
  listed: ReadonlyMap<string, number>;
  retired: ReadonlySet<string>;
};

function findProblem(folder: string): EarshotError | null {
  const earlierState = catalogState(folder);
  // Skips retired files, which include copies in progress, locked by their creators.
  const files = segmentFiles(
    folder,
    earlierState === "newer" ? null : (earlierState?.retired ?? null),
  );
  const catalog = catalogState(folder);
  if (catalog === "newer") return null;
  if (catalog === null) return problemWithoutCatalog(folder, files);
  const storeId = readStoreId(dirname(folder), "archive");
  if (storeId !== null && storeId !== archiveId(catalog.uriKey)) {
    return catalogForeign(
      `${catalogPath(folder)} is not the catalog of the archive that ${storeIdPath(dirname(folder), "archive")} names`,
    );
  }
  for (const file of files) {
    const problem = fileProblem(file, catalog, folder);
    if (problem !== null) return problem;
  }
  const segmentProblem =
    earlierState === null || earlierState === "newer"
      ? null
      : olderSegmentProblem(files, earlierState, folder);
  if (segmentProblem !== null) return segmentProblem;
  for (const name of catalog.listed.keys()) {
    const [platform = "", sequence] = name.split("/");
    const path = segmentPath(folder, { platform, sequence: Number(sequence) });
    if (fileSize(path) === 0) return segmentMissing(path);
  }
  return null;
}

function olderSegmentProblem(
  files: readonly SegmentFile[],
  { listed, uriKey }: CatalogState,
  folder: string,
): EarshotError | null {
  for (const { name, path, identity } of files) {
    if (typeof identity === "string" || identity.uriKey !== uriKey) continue;
    const commit = listed.get(name) ?? 0;
    if (identity.lastWrittenInCommit >= commit) continue;
    return new EarshotError(
      "segment_older",
      `${path} is an earlier copy: its last commit is ${identity.lastWrittenInCommit}, but ${catalogPath(folder)} lists commit ${commit}`,
      {
        status: 503,
        hint: "stop the server and restore the latest file or a backup, or run earshot archive recover, which continues without the lost posts",
      },
    );
  }
  return null;
}

function fileProblem(
  { name, path, identity }: SegmentFile,
  catalog: CatalogState,
  folder: string,
): EarshotError | null {
  if (identity === "empty" || identity === "unreadable") return null;
  if (identity === "unknown") return problemWithoutIdentity(name, catalog, folder);
  if (identity.uriKey !== catalog.uriKey) {
    return catalogForeign(`${path} belongs to a different archive than ${catalogPath(folder)}`);
  }
  if (formatName(identity) !== name)
    return catalogForeign(`${path} contains segment ${formatName(identity)}`);
  if (identity.lastWrittenInCommit <= catalog.commitNumber + 1) return null;
  return new EarshotError(
    "catalog_older",
    `${catalogPath(folder)} is older than its segments: its last commit is ${catalog.commitNumber}, but ${name} was written in commit ${identity.lastWrittenInCommit}`,
    { status: 503, hint: recoverHint },
  );
}

/**
 * A file from an earlier version has no identity. If the catalog lists no segments of its platform,
 * the file is not a leftover of a crash.
 */
function problemWithoutIdentity(
  name: string,
  { listed, retired }: CatalogState,
  folder: string,
): EarshotError | null {
  const [platform = ""] = name.split("/");
  const knownNames = [...listed.keys(), ...retired];
  if (knownNames.some((other) => other.startsWith(`${platform}/`))) return null;
  return catalogMissing(
    `${catalogPath(folder)} lists no ${platform} segments, but the folder contains some`,
  );
}

function problemWithoutCatalog(folder: string, files: readonly SegmentFile[]): EarshotError | null {
  const path = catalogPath(folder);
  if (files.some(({ identity }) => identity !== "empty")) {
    const state = existsSync(path) ? "is empty" : "is missing";
    return catalogMissing(`${path} ${state}, but its folder contains segments`);
  }
  if (readStoreId(dirname(folder), "archive") === null) return null;
  const idPath = storeIdPath(dirname(folder), "archive");
  return new EarshotError("archive_missing", `${folder} is empty, but ${idPath} names an archive`, {
    status: 503,
    hint: `check that its disk is mounted, or restore a backup; to start an empty archive, remove ${idPath}`,
  });
}

const recoverHint =
  "stop the server and restore a backup, or run earshot archive recover, which rebuilds the catalog from the segments; no segment was removed";

const catalogMissing = (message: string): EarshotError =>
  new EarshotError("catalog_missing", message, { status: 503, hint: recoverHint });

const catalogForeign = (message: string): EarshotError =>
  new EarshotError("catalog_foreign", message, {
    status: 503,
    hint: "put back the matching files, or run earshot archive recover, which rebuilds the catalog from the segments; no segment was removed",
  });

const formatName = ({
  platform,
  sequence,
}: Pick<SegmentIdentity, "platform" | "sequence">): string => `${platform}/${sequence}`;

function segmentFiles(folder: string, retired: ReadonlySet<string> | null): SegmentFile[] {
  return platforms.flatMap((platform) =>
    segmentNumbersIn(folder, platform)
      .map((sequence) => ({
        name: formatName({ platform, sequence }),
        path: segmentPath(folder, { platform, sequence }),
      }))
      .filter(({ name }) => !retired?.has(name))
      .map((file) => ({ ...file, identity: identityIn(file.path) })),
  );
}

function catalogState(folder: string): CatalogState | "newer" | null {
  if (fileSize(catalogPath(folder)) === 0) return null;
  const catalog = openForReading(catalogPath(folder), 1_000);
  try {
    catalog.exec("BEGIN");
    const version = schemaVersion(catalog);
    if (version > catalogMigrations.length) return "newer";
    if (version === 0) return null;
    const setting = (name: string): string | null => {
      const row = catalog.prepare("SELECT value FROM setting WHERE name = ?").get(name);
      return row === undefined ? null : String(row.value);
    };
    return {
      uriKey: setting("uri_key") ?? "",
      commitNumber: Number(setting("commit_number") ?? 0),
      listed: lastCommits(catalog),
      retired: version === 1 ? new Set() : retiredNames(catalog),
    };
  } finally {
    catalog.close();
  }
}

function lastCommits(catalog: DatabaseSync): ReadonlyMap<string, number> {
  const rows = bigIntPreparer(catalog)("SELECT * FROM segment").all();
  return new Map(rows.map((row) => [rowName(row), Number(row.written_in ?? 0)]));
}

const retiredNames = (catalog: DatabaseSync): ReadonlySet<string> =>
  new Set(catalog.prepare("SELECT platform, sequence FROM retired").all().map(rowName));

const rowName = ({ platform, sequence }: Record<string, unknown>): string =>
  formatName({ platform: String(platform), sequence: Number(sequence) });
