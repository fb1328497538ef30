import type { DatabaseSync } from "node:sqlite";
import { endSnapshot } from "../database.ts";
import { memoryShares } from "../memory-shares.ts";
import { SealedDamageError } from "../sealed/damage.ts";
import { type DeletionBitmap, readDeletionBitmap } from "../sealed/deletion-bitmap.ts";
import { createEvaluatorPool, type EvaluatorPool } from "../sealed/evaluate.ts";
import type { IdCache } from "../sealed/id-cache.ts";
import { openSealedIndex, type SealedIndex } from "../sealed/sealed-index.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { createTermCache, type TermCache } from "../sealed/term-cache.ts";
import { archiveDefaults } from "../settings.ts";
import {
  isMarkedDamaged,
  markOnDamage,
  unlessMarkedDamaged,
  useVerifiedFiles,
  type VerifiedFiles,
} from "./integrity.ts";

export type SealedCaches = {
  terms: TermCache;
  ids: IdCache | null;
  evaluators: EvaluatorPool;
  verifiedFiles: VerifiedFiles;
  verifiedPaths: Set<string>;
};

export const createSealedCaches = (
  termBytes = memoryShares(archiveDefaults.memoryBytes, 2).terms,
  ids: IdCache | null = null,
  verifiedFiles = useVerifiedFiles(),
): SealedCaches => ({
  terms: createTermCache(termBytes),
  ids,
  evaluators: createEvaluatorPool(),
  verifiedFiles,
  verifiedPaths: new Set(),
});

export type SealedView = {
  index: SealedIndex;
  deletions: DeletionBitmap;
  hasDelta: boolean;
  hasHidden: boolean;
};

export type SealedIndexReader = {
  /**
   * Runs `work` on one snapshot. If the sealed index is unreadable, marks the segment and runs
   * `byRows`, even after `work` has begun.
   */
  read<Value>(
    work: (view: SealedView) => Value,
    byRows: () => Value,
    lastWrittenInCommit?: number,
  ): Value;
  /**
   * Runs work that reads only the sealed index. Needs no transaction if the segment has not been
   * written since the last read and its delta is empty.
   */
  readIndex<Value>(
    work: (view: SealedView) => Value,
    byRows: () => Value,
    lastWrittenInCommit: number | undefined,
  ): Value;
  /** Returns whether a required term is certainly missing. Executes no SQL. */
  isKnownToLack(query: SealedQuery, lastWrittenInCommit: number | undefined): boolean;
  recheckMarker(): void;
  close(): void;
};

/** `dataVersion` is SQLite's, which changes when another connection commits. */
type LastView = {
  dataVersion: unknown;
  lastWrittenInCommit: number | undefined;
  view: SealedView;
};

/** Null if the segment is not sealed; sealing always creates a new file. */
export function openSealedIndexReader(
  database: DatabaseSync,
  path: string,
  caches: SealedCaches,
): SealedIndexReader | null {
  if (sealedState(database) === null) return null;
  let index = unlessMarkedDamaged(path, open, () => null);
  const begin = database.prepare("BEGIN");
  const rollback = database.prepare("ROLLBACK");
  const selectDataVersion = database.prepare("PRAGMA data_version");
  const selectAnyInDelta = database.prepare("SELECT 1 FROM term_docsize LIMIT 1");
  const selectAnyHidden = database.prepare("SELECT 1 FROM hidden LIMIT 1");
  let lastView: LastView | null = null;

  function open(): SealedIndex | null {
    return openSealedIndex(database, { name: path, ...caches });
  }

  function currentView(
    openIndex: SealedIndex,
    lastWrittenInCommit: number | undefined,
  ): SealedView {
    const dataVersion = selectDataVersion.get()?.data_version;
    if (lastView !== null && lastView.dataVersion === dataVersion) {
      lastView.lastWrittenInCommit = lastWrittenInCommit ?? lastView.lastWrittenInCommit;
      return lastView.view;
    }
    if (isMarkedDamaged(path)) throw new SealedDamageError("it is marked as damaged");
    const view = {
      index: openIndex,
      deletions: readDeletionBitmap(database),
      hasDelta: selectAnyInDelta.get() !== undefined,
      hasHidden: selectAnyHidden.get() !== undefined,
    };
    lastView = { dataVersion, lastWrittenInCommit, view };
    return view;
  }

  function onView<Value>(
    work: (view: SealedView) => Value,
    byRows: () => Value,
    lastWrittenInCommit: number | undefined,
  ): Value {
    const openIndex = index;
    if (openIndex === null) return byRows();
    return markOnDamage(
      path,
      () => work(currentView(openIndex, lastWrittenInCommit)),
      () => {
        close();
        renewSnapshot();
        return byRows();
      },
    );
  }

  /** SQLite may fail to end a transaction that has encountered corruption. */
  function renewSnapshot(): void {
    try {
      rollback.get();
    } catch {
      // The transaction has already ended.
    }
    if (!database.isTransaction) begin.get();
  }

  function close(): void {
    index?.close();
    index = null;
  }

  function unchangedView(lastWrittenInCommit: number | undefined): SealedView | null {
    if (index === null || lastView === null || lastWrittenInCommit === undefined) return null;
    return lastView.lastWrittenInCommit === lastWrittenInCommit && !lastView.view.hasDelta
      ? lastView.view
      : null;
  }

  function read<Value>(
    work: (view: SealedView) => Value,
    byRows: () => Value,
    lastWrittenInCommit?: number,
  ): Value {
    if (database.isTransaction) return onView(work, byRows, lastWrittenInCommit);
    begin.get();
    try {
      return onView(work, byRows, lastWrittenInCommit);
    } finally {
      endSnapshot(database);
    }
  }

  return {
    read,
    readIndex: (work, byRows, lastWrittenInCommit) => {
      const view = unchangedView(lastWrittenInCommit);
      if (view === null) return read(work, byRows, lastWrittenInCommit);
      return markOnDamage(
        path,
        () => work(view),
        () => {
          close();
          return read(work, byRows, lastWrittenInCommit);
        },
      );
    },
    isKnownToLack: (query, lastWrittenInCommit) =>
      unchangedView(lastWrittenInCommit)?.index.isKnownToLack(query) ?? false,
    recheckMarker: () => {
      lastView = null;
    },
    close,
  };
}
