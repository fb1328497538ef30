import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { analyzerVersion } from "@earshot/query/text";
import { schemaVersion } from "../../db/connection.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Platform } from "../../posts/post.ts";
import { inTransaction, openForReading, openForWriting } from "../database.ts";
import { segmentMigrations } from "../segments/schema.ts";
import { openSegmentFile, readIdentity, writeIdentity } from "../segments/segment-file.ts";
import {
  catalogCacheKib,
  catalogPath,
  putSetting,
  readSegments,
  readSetting,
  readUriKey,
  type SegmentEntry,
  segmentPath,
} from "./catalog.ts";
import { fillCatalogChecksums, maintainCatalogChecksums } from "./checksums.ts";
import { requireCurrentCatalog } from "./require-current-catalog.ts";
import { catalogMigrations } from "./schema.ts";

/**
 * Creates the catalog, or migrates it and its segments. Errors: `newer_schema`, and those of
 * `require-current-catalog.ts`.
 */
export function openCatalog(folder: string): DatabaseSync {
  requireCurrentCatalog(folder);
  if (isOutdated(folder)) migrateSegments(folder);
  const catalog = openForWriting(catalogPath(folder), catalogMigrations, catalogCacheKib);
  try {
    requireKnownAnalyzers(readSegments(catalog), folder);
    fillCatalogChecksums(catalog);
    maintainCatalogChecksums(catalog);
    if (readSetting(catalog, "identified") === "0") identifySegments(folder, catalog);
  } catch (error) {
    catalog.close();
    throw error;
  }
  return catalog;
}

function identifySegments(folder: string, catalog: DatabaseSync): void {
  inTransaction(catalog, () => {
    const uriKey = readUriKey(catalog);
    for (const { platform, sequence, low } of readSegments(catalog)) {
      const segment = openSegmentFile(segmentPath(folder, { platform, sequence }), 1_000);
      try {
        if (readIdentity(segment) !== null) continue;
        const identity = {
          uriKey,
          platform,
          sequence,
          low,
          createdInCommit: 0,
          lastWrittenInCommit: 0,
        };
        inTransaction(segment, () => writeIdentity(segment, { ...identity, replaces: null }));
      } finally {
        segment.close();
      }
    }
    putSetting(catalog, "identified", 1);
  });
}

function isOutdated(folder: string): boolean {
  if (!existsSync(catalogPath(folder))) return false;
  return withCatalog(folder, schemaVersion) < catalogMigrations.length;
}

/**
 * Called before the catalog is migrated, because readers of a migrated catalog expect migrated
 * segments.
 */
function migrateSegments(folder: string): void {
  const segments = withCatalog(folder, (catalog) =>
    schemaVersion(catalog) === 0
      ? []
      : catalog.prepare("SELECT platform, sequence FROM segment").all(),
  );
  for (const { platform, sequence } of segments) {
    const path = segmentPath(folder, {
      platform: platform as Platform,
      sequence: Number(sequence),
    });
    openForWriting(path, segmentMigrations, 1_000).close();
  }
}

function withCatalog<Value>(folder: string, read: (catalog: DatabaseSync) => Value): Value {
  const catalog = openForReading(catalogPath(folder), 1_000);
  try {
    return read(catalog);
  } finally {
    catalog.close();
  }
}

/** Errors: `newer_schema` if a later analyzer has written a segment. */
export function requireKnownAnalyzers(segments: readonly SegmentEntry[], folder: string): void {
  if (segments.every(({ analyzer }) => versionIn(analyzer) <= analyzerVersion)) return;
  throw new EarshotError("newer_schema", `${folder} was written by a later version of Earshot`, {
    hint: "run that version, or use another data folder",
  });
}

/** `analyzer` is `<version> <Unicode version>`, or the version alone. */
const versionIn = (analyzer: string): number => Number(analyzer.split(" ")[0]);
