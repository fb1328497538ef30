/**
 * Verification runs after the archive has opened, because it takes a second of CPU time per million
 * handles. Calls wait for it, because incomplete answers would make clients retry.
 */

import { openForReading } from "../database.ts";
import { catalogCacheKib, catalogPath } from "./catalog.ts";
import { type CatalogDamage, damagedTablesInSteps, structureDamage } from "./checksums.ts";
import { isIntact } from "./intact-catalog.ts";

type VerifyParts = {
  check(): Promise<CatalogDamage>;
  repair(): Promise<readonly string[]>;
  onWarning(message: string): void;
};

/** Errors: `archive_damaged` if more than coverage or an index is damaged. */
export async function verifyCatalog({ check, repair, onWarning }: VerifyParts): Promise<void> {
  if (isIntact(await check())) return;
  for (const warning of await repair()) onWarning(warning);
}

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
