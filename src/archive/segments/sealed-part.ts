import type { DatabaseSync } from "node:sqlite";
import { endSnapshot } from "../database.ts";
import { memoryShares } from "../memory-shares.ts";
import { SealedDamage } from "../sealed/damage.ts";
import { type Mask, readMask } from "../sealed/deletion-bitmap.ts";
import { createEvaluators, type Evaluators } from "../sealed/evaluate.ts";
import type { IdMemory } from "../sealed/id-memory.ts";
import { openSealedIndex, type SealedIndex } from "../sealed/sealed-index.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { createTermCache, type TermCache } from "../sealed/term-cache.ts";
import { archiveDefaults } from "../settings.ts";
import { guardedBySeal, isMarkedDamaged, markingDamage } from "./damage-marker.ts";
import { useVerifiedFiles, type VerifiedFiles } from "./verified-files.ts";

/** What a thread remembers of sealed indexes, over all segments that it has open. */
export type SealedMemory = {
  terms: TermCache;
  ids: IdMemory | null;
  evaluators: Evaluators;
  /** Files whose tables were verified against their sums by any thread. */
  verified: VerifiedFiles;
  /** Those of which this thread knows it. */
  verifiedHere: Set<string>;
};

/**
 * Memory of a thread of its own, but for `ids` and `verified`, which are shared with others; `termBytes` bounds what is
 * remembered of terms.
 */
export const createSealedMemory = (
  termBytes = memoryShares(archiveDefaults.memoryBytes, 2).terms,
  ids: IdMemory | null = null,
  verified = useVerifiedFiles(),
): SealedMemory => ({
  terms: createTermCache(termBytes),
  ids,
  evaluators: createEvaluators(),
  verified,
  verifiedHere: new Set(),
});

/** A sealed segment as it is on one snapshot. */
export type SealedView = {
  index: SealedIndex;
  mask: Mask;
  /** Whether FTS5 holds any post: one that was written since the segment was sealed. */
  hasOverlay: boolean;
  /** Whether any post of the segment is hidden. */
  hidesAny: boolean;
};

/** The side of an open segment that knows whether, and how, it is sealed. */
export type SealedPart = {
  /**
   * Runs `work` on one snapshot of a sealed segment. Where its sealed index cannot be read, `byRows` takes the place of `work`,
   * also of one that has begun, and the segment is marked.
   * `writtenIn` is the number of the segment's last commit that the caller knows of.
   */
  read<Value>(work: (view: SealedView) => Value, byRows: () => Value, writtenIn?: number): Value;
  /**
   * The same for work that reads the sealed index alone, which never changes: without a transaction where the segment was not
   * written since it was last read, and FTS5 has none of its posts.
   */
  readIndex<Value>(
    work: (view: SealedView) => Value,
    byRows: () => Value,
    writtenIn: number | undefined,
  ): Value;
  /** Looks at the marker again. */
  lookAgain(): void;
  close(): void;
};

/** Opens what a segment is sealed by; null where it is not sealed, which it never is later. */
export function openSealedPart(
  database: DatabaseSync,
  path: string,
  memory: SealedMemory,
): SealedPart | null {
  if (sealedState(database) === null) return null;
  /** Null once it is not to be trusted. */
  let index = guardedBySeal(path, open, () => null);
  const begin = database.prepare("BEGIN");
  const rollback = database.prepare("ROLLBACK");
  const version = database.prepare("PRAGMA data_version");
  const overlay = database.prepare("SELECT 1 FROM term_docsize LIMIT 1");
  const hidden = database.prepare("SELECT 1 FROM hidden LIMIT 1");
  let seen: { version: unknown; writtenIn: number | undefined; view: SealedView } | null = null;

  function open(): SealedIndex | null {
    return openSealedIndex(database, { name: path, ...memory });
  }

  /** Whatever others commit changes the version of the data. Errors: `SealedDamage`. */
  function currentView(opened: SealedIndex, writtenIn: number | undefined): SealedView {
    const now = version.get()?.data_version;
    if (seen !== null && seen.version === now) {
      // What the catalog knew before this snapshot is in it.
      seen.writtenIn = writtenIn ?? seen.writtenIn;
      return seen.view;
    }
    if (isMarkedDamaged(path)) throw new SealedDamage("it is marked so");
    const view = {
      index: opened,
      mask: readMask(database),
      hasOverlay: overlay.get() !== undefined,
      hidesAny: hidden.get() !== undefined,
    };
    seen = { version: now, writtenIn, view };
    return view;
  }

  function onView<Value>(
    work: (view: SealedView) => Value,
    byRows: () => Value,
    writtenIn: number | undefined,
  ): Value {
    const opened = index;
    if (opened === null) return byRows();
    return markingDamage(
      path,
      () => work(currentView(opened, writtenIn)),
      () => {
        close();
        renewSnapshot();
        return byRows();
      },
    );
  }

  /** SQLite does not end well a transaction in which it met damage. */
  function renewSnapshot(): void {
    try {
      rollback.get();
    } catch {
      // It was ended by the damage.
    }
    if (!database.isTransaction) begin.get();
  }

  function close(): void {
    index?.close();
    index = null;
  }

  /** What was last read, where it is what the segment still contains, and FTS5 none of it. */
  function unchangedView(writtenIn: number | undefined): SealedView | null {
    if (index === null || seen === null || writtenIn === undefined) return null;
    return seen.writtenIn === writtenIn && !seen.view.hasOverlay ? seen.view : null;
  }

  function read<Value>(
    work: (view: SealedView) => Value,
    byRows: () => Value,
    writtenIn?: number,
  ): Value {
    if (database.isTransaction) return onView(work, byRows, writtenIn);
    begin.get();
    try {
      return onView(work, byRows, writtenIn);
    } finally {
      endSnapshot(database);
    }
  }

  return {
    read,
    readIndex: (work, byRows, writtenIn) => {
      const view = unchangedView(writtenIn);
      if (view === null) return read(work, byRows, writtenIn);
      return markingDamage(
        path,
        () => work(view),
        () => {
          close();
          return read(work, byRows, writtenIn);
        },
      );
    },
    lookAgain: () => {
      seen = null;
    },
    close,
  };
}
