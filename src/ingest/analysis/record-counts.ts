import { stripControls } from "../../lib/controls.ts";

export type RecordCounts = {
  ignoredFields: ReadonlyMap<string, number>;
  skipped: ReadonlyMap<string, number>;
};

const maxIgnoredNames = 1_000;
const otherNames = "(others)";

/** Counts names beyond the first 1,000 together. */
export function createRecordCounts() {
  const ignoredFields = new Map<string, number>();
  const skipped = new Map<string, number>();

  function countName(name: string, times: number): void {
    const isKnown = ignoredFields.size < maxIgnoredNames || ignoredFields.has(name);
    add(ignoredFields, isKnown ? name : otherNames, times);
  }

  return {
    countIgnored: (field: string): void => countName(stripControls(field.slice(0, 100)), 1),
    countSkipped: (reason: string): void => add(skipped, reason, 1),
    merge: (counts: RecordCounts): void => {
      for (const [name, times] of counts.ignoredFields) countName(name, times);
      for (const [reason, times] of counts.skipped) add(skipped, reason, times);
    },
    all: (): RecordCounts => ({ ignoredFields, skipped }),
  };
}

function add(counts: Map<string, number>, key: string, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}
