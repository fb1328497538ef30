import type { DatabaseSync } from "node:sqlite";
import { lastId } from "../../posts/ids.ts";
import { type MaskWriter, maskWriterOf } from "../sealed/deletion-bitmap.ts";
import { openPostNumbers } from "../sealed/doc-numbers.ts";
import { spoiledFormat } from "../sealed/format.ts";
import { sealedQuery } from "../sealed/sealed-query.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { guardedBySeal, isMarkedDamaged, markingDamage } from "./damage-marker.ts";
import { sealedIds } from "./sealed-ids.ts";

/** What a writer has to do in a segment that is sealed; in another one all of it does nothing. */
export type SealedWrites = {
  /** Comes before the caller's transaction, which a damaged page of the sealed tables would spoil for all that follows it. */
  begin(): void;
  /** The post is written anew, or deleted: from here on FTS5 alone answers for it. */
  replace(id: bigint): void;
  hide(id: bigint): void;
  show(id: bigint): void;
  /** Writes what was gathered within the caller's transaction. */
  flush(): void;
  discard(): void;
  /**
   * The posts that bear a facet for which the sealed index still answers, hidden ones too; null where it cannot be read, and
   * nothing but their rows tells.
   */
  idsWith(facet: string): bigint[] | null;
};

/**
 * Whether the segment is sealed is looked up when anything is done with a post that was there before: a segment that fills
 * pays for it a look for the file that marks damage. Where the index is damaged the segment is marked, so that readers look at its rows alone.
 */
export function sealedWritesOf(database: DatabaseSync, path: string): SealedWrites {
  let opened: MaskWriter | "unsealed" | "damaged" | "spoiled" | null = null;
  // What is not kept up must not be trusted in copies of the file either, beside which no marker lies.
  const spoil = database.prepare("UPDATE sealed SET format = ?1 WHERE format <> ?1");

  function mask(): MaskWriter | null {
    opened ??= open();
    return typeof opened === "string" ? null : opened;
  }

  function open(): MaskWriter | "unsealed" | "damaged" {
    if (sealedState(database) === null) return "unsealed";
    return guardedBySeal<MaskWriter | "damaged">(
      path,
      () => maskWriterOf(database, openPostNumbers(database, path, null)),
      () => "damaged",
    );
  }

  /** Null where the index turns out to be damaged: readers are told, and what was gathered says nothing any more. */
  function guarded<Value>(work: () => Value): Value | null {
    return markingDamage(path, work, () => {
      if (opened !== "spoiled") opened = "damaged";
      return null;
    });
  }

  function tellFile(): void {
    opened = "spoiled";
    guarded(() => spoil.run(spoiledFormat));
  }

  function idsWith(facet: string): bigint[] | null {
    if (mask() === null) return opened === "unsealed" ? [] : null;
    const query = sealedQuery({ kind: "terms", elements: [{ kind: "token", token: facet }] });
    return guarded(() => sealedIds(database, path, query, { low: 0n, high: lastId }));
  }

  return {
    begin: () => {
      const isTold = opened === "unsealed" || opened === "spoiled";
      if (!isTold && isMarkedDamaged(path)) tellFile();
    },
    replace: (id) => guarded(() => mask()?.replace(id)),
    hide: (id) => guarded(() => mask()?.hide(id)),
    show: (id) => guarded(() => mask()?.show(id)),
    flush: () => {
      if (opened === null) return;
      guarded(() => mask()?.flush());
      if (opened === "damaged") tellFile();
    },
    discard: () => {
      if (opened !== null) mask()?.discard();
    },
    idsWith,
  };
}
