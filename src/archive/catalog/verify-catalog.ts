/**
 * Verification takes a second of CPU per million handles, so it runs beside the start. Answers that are incomplete until it
 * ends would make clients of small archives repeat requests; a note that an earlier process verified the file would miss
 * damage between two processes.
 */

import { openForReading } from "../database.ts";
import { catalogCacheKib, catalogPath } from "./catalog.ts";
import { isIntact } from "./intact-catalog.ts";
import { type CatalogDamage, damagedTablesInSteps, structureDamage } from "./sums.ts";

type VerifyParts = {
  /** Runs `checkCatalog` on a reader thread. */
  check(): Promise<CatalogDamage>;
  /** Runs `requireIntactCatalog` on the writer thread. */
  repair(): Promise<readonly string[]>;
  onWarning(message: string): void;
};

/**
 * Verifies the catalog while the process starts. Every other call of the archive waits for it: no answer depends on a value that
 * was not verified. Errors: `archive_damaged` where more than coverage or an index is damaged.
 */
export async function verifyCatalog({ check, repair, onWarning }: VerifyParts): Promise<void> {
  if (isIntact(await check())) return;
  for (const warning of await repair()) onWarning(warning);
}

/** Finds the damage of a catalog, on a connection of its own. Yields when `isSliceOver` says so. */
export function* checkCatalog(
  folder: string,
  isSliceOver: () => boolean,
): Generator<void, CatalogDamage> {
  const catalog = openForReading(catalogPath(folder), catalogCacheKib);
  try {
    const steps = damagedTablesInSteps(catalog);
    for (;;) {
      const step = steps.next();
      if (step.done) return { tables: step.value, structure: structureDamage(catalog) };
      if (isSliceOver()) yield;
    }
  } finally {
    catalog.close();
  }
}
