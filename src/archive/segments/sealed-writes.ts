import type { DatabaseSync } from "node:sqlite";
import { lastId } from "../../posts/ids.ts";
import { type DeletionBitmapWriter, deletionBitmapWriter } from "../sealed/deletion-bitmap.ts";
import { openDocNumbers } from "../sealed/doc-numbers.ts";
import { abandonedFormat } from "../sealed/format.ts";
import { sealedQuery } from "../sealed/sealed-query.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { guardedByMarker, isMarkedDamaged, markingDamage } from "./damage-marker.ts";
import { sealedIds } from "./sealed-ids.ts";

export type SealedWrites = {
  /** Call before the transaction begins: a damaged page would make it fail. */
  begin(): void;
  replace(id: bigint): void;
  hide(id: bigint): void;
  show(id: bigint): void;
  /** Requires a transaction. */
  flush(): void;
  discard(): void;
  idsWith(facet: string): bigint[] | null;
};

/**
 * Opens the index on the first change of an existing post: new posts only cost a check of the
 * marker.
 */
export function openSealedWrites(database: DatabaseSync, path: string): SealedWrites {
  let opened: DeletionBitmapWriter | "unsealed" | "damaged" | "abandoned" | null = null;
  // Copies of the file lack the marker, but must be rejected as well.
  const updateFormat = database.prepare("UPDATE sealed SET format = ?1 WHERE format <> ?1");

  function bitmap(): DeletionBitmapWriter | null {
    opened ??= open();
    return typeof opened === "string" ? null : opened;
  }

  function open(): DeletionBitmapWriter | "unsealed" | "damaged" {
    if (sealedState(database) === null) return "unsealed";
    return guardedByMarker<DeletionBitmapWriter | "damaged">(
      path,
      () => deletionBitmapWriter(database, openDocNumbers(database, path, null)),
      () => "damaged",
    );
  }

  function runGuarded<Value>(work: () => Value): Value | null {
    return markingDamage(path, work, () => {
      if (opened !== "abandoned") opened = "damaged";
      return null;
    });
  }

  function abandonIndex(): void {
    opened = "abandoned";
    runGuarded(() => updateFormat.run(abandonedFormat));
  }

  function idsWith(facet: string): bigint[] | null {
    if (bitmap() === null) return opened === "unsealed" ? [] : null;
    const query = sealedQuery({ kind: "terms", elements: [{ kind: "token", token: facet }] });
    return runGuarded(() => sealedIds(database, path, query, { low: 0n, high: lastId }));
  }

  return {
    begin: () => {
      const isUnused = opened === "unsealed" || opened === "abandoned";
      if (!isUnused && isMarkedDamaged(path)) abandonIndex();
    },
    replace: (id) => runGuarded(() => bitmap()?.replace(id)),
    hide: (id) => runGuarded(() => bitmap()?.hide(id)),
    show: (id) => runGuarded(() => bitmap()?.show(id)),
    flush: () => {
      if (opened === null) return;
      runGuarded(() => bitmap()?.flush());
      if (opened === "damaged") abandonIndex();
    },
    discard: () => {
      if (opened !== null) bitmap()?.discard();
    },
    idsWith,
  };
}
