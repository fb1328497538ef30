import { withoutControls } from "../../text/controls.ts";

/** What is counted of records beside their posts. */
export type RecordCounts = {
  /** Names of fields that the record form does not have, with how often they came. */
  ignoredFields: ReadonlyMap<string, number>;
  /** Records that are valid and not imported: how many, by the reason. */
  leftOut: ReadonlyMap<string, number>;
};

const maxIgnoredNames = 1_000;
const otherNames = "(others)";

/** Counts names; those beyond a bound count together. */
export function createRecordCounts() {
  const ignoredFields = new Map<string, number>();
  const leftOut = new Map<string, number>();

  function countName(name: string, times: number): void {
    const isKnown = ignoredFields.size < maxIgnoredNames || ignoredFields.has(name);
    add(ignoredFields, isKnown ? name : otherNames, times);
  }

  return {
    countIgnored: (field: string): void => countName(withoutControls(field.slice(0, 100)), 1),
    countLeftOut: (reason: string): void => add(leftOut, reason, 1),
    merge: (counts: RecordCounts): void => {
      for (const [name, times] of counts.ignoredFields) countName(name, times);
      for (const [reason, times] of counts.leftOut) add(leftOut, reason, times);
    },
    all: (): RecordCounts => ({ ignoredFields, leftOut }),
  };
}

function add(counts: Map<string, number>, key: string, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}
