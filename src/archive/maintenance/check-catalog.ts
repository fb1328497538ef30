import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { schemaVersion } from "../../db/connection.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { readSegments, segmentPath } from "../catalog/catalog.ts";
import { damagedCatalogTables } from "../catalog/checksums.ts";
import { catalogMigrations } from "../catalog/schema.ts";
import { checkFile } from "./check-file.ts";
import type { Findings } from "./findings.ts";
import { tryReading } from "./try-reading.ts";

export function findCatalogErrors(
  folder: string,
  catalog: DatabaseSync,
  isFull: boolean,
  findings: Findings,
): void {
  checkFile(catalog, isFull, (message) =>
    findings.add({ kind: "file_damaged", message: `catalog.db: ${message}` }),
  );
  const version = schemaVersion(catalog);
  if (version !== catalogMigrations.length) {
    const message = `the catalog has schema ${version}, not ${catalogMigrations.length}`;
    findings.add({ kind: "schema_differs", message });
    return;
  }
  const onDamage = (message: string): void =>
    findings.add({ kind: "file_damaged", message: `catalog.db: ${message}` });
  tryReading("its checksums", () => checkCatalogChecksums(catalog, findings), onDamage);
  tryReading("its segments", () => checkRanges(folder, catalog, findings), onDamage);
  tryReading("its intervals", () => checkIntervals(catalog, findings), onDamage);
}

function checkCatalogChecksums(catalog: DatabaseSync, findings: Findings): void {
  for (const table of damagedCatalogTables(catalog)) {
    findings.add({
      kind: "file_damaged",
      message: `catalog.db: table ${table} does not match its checksum`,
    });
  }
}

function checkRanges(folder: string, catalog: DatabaseSync, findings: Findings): void {
  const byPlatform = Map.groupBy(readSegments(catalog), ({ platform }) => platform);
  for (const [platform, entries] of byPlatform) {
    const reportError = (message: string): void =>
      findings.add({ kind: "catalog_wrong", platform, message });
    if (!platforms.includes(platform)) reportError(`segments of unknown platform ${platform}`);
    if (entries[0]?.low !== 0n) reportError(`no segment of ${platform} owns the lowest IDs`);
    for (const entry of entries) {
      const segment = `${platform}/${entry.sequence}`;
      if (entry.high < entry.low)
        reportError(`segment ${segment} owns the same IDs as another one`);
      if (entry.skew.minMs > entry.skew.maxMs)
        reportError(`the minimum time skew of segment ${segment} exceeds its maximum`);
      if (existsSync(segmentPath(folder, entry))) continue;
      const message = `${segmentPath("", entry)} is missing`;
      findings.add({ kind: "file_missing", platform, segment, message });
    }
  }
}

const collections = ["posts", "likes", "reposts", "labels"];

function checkIntervals(catalog: DatabaseSync, findings: Findings): void {
  let previous = { name: "", toMs: 0 };
  const rows = catalog
    .prepare("SELECT * FROM interval ORDER BY platform, collection, account, source, from_ms")
    .iterate();
  for (const row of rows) {
    const { platform, collection, account, source } = row;
    const name = [platform, collection, source, account].join(" ").trimEnd();
    const reportError = (error: string): void =>
      findings.add({
        kind: "interval_wrong",
        platform: platform as Platform,
        message: `the interval of ${name} from ${row.from_ms} to ${row.to_ms} ${error}`,
      });
    if (!platforms.includes(platform as Platform)) reportError("has an unknown platform");
    if (!collections.includes(String(collection))) reportError("has an unknown collection");
    if (Number(row.from_ms) >= Number(row.to_ms)) reportError("ends before it begins");
    if (previous.name === name && previous.toMs >= Number(row.from_ms))
      reportError("overlaps the previous one");
    previous = { name, toMs: Number(row.to_ms) };
  }
}
