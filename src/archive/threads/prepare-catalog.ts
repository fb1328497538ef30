import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { folderError, requireWritable } from "../../db/folder-errors.ts";
import { makePrivateFolder } from "../../db/private-files.ts";
import { ensureStoreId } from "../../db/store-id.ts";
import { archiveId } from "../catalog/archive-id.ts";
import { catalogPath, readUriKey } from "../catalog/catalog.ts";
import { requireIntactStartupTables } from "../catalog/intact-catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";

/** Returns the key of the uri hashes, which never changes. */
export function prepareCatalog(folder: string): string {
  try {
    makePrivateFolder(folder);
    requireWritable(folder);
    const catalog = openCatalog(folder);
    const uriKey = intactUriKey(catalog, folder);
    ensureStoreId(dirname(folder), "archive", archiveId(uriKey));
    return uriKey;
  } catch (error) {
    throw folderError(error, folder);
  }
}

function intactUriKey(catalog: DatabaseSync, folder: string): string {
  try {
    requireIntactStartupTables(catalog, catalogPath(folder));
    return readUriKey(catalog);
  } finally {
    catalog.close();
  }
}
