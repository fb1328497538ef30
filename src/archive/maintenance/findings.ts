import type { Platform } from "../../posts/post.ts";

/**
 * Stable names, with remedies. Reindexing salvages the readable data; restoring a backup that
 * contains the rest loses less.
 */
export const findingKinds = {
  file_damaged: "earshot archive reindex --segment SEGMENT",
  file_missing: "restore a backup, or earshot archive recover, which continues without the file",
  schema_differs: "restore a backup, or open the archive with the version that wrote it",
  catalog_wrong: "restore a backup",
  catalog_not_current: "restore a backup, or earshot archive recover",
  interval_wrong: "restore a backup; until then coverage may be too large",
  row_unreadable: "earshot archive reindex --segment SEGMENT",
  id_outside: "restore a backup",
  time_outside: "earshot archive reindex --segment SEGMENT",
  number_differs: "earshot archive reindex --segment SEGMENT",
  uri_entry_missing: "earshot archive reindex --segment SEGMENT",
  uri_entry_wrong: "earshot archive reindex --segment SEGMENT",
  uri_twice: "earshot archive forget --post URI --allow-return --yes, which removes one of them",
  hidden_without_post: "earshot archive reindex --segment SEGMENT",
  stray_not_listed: "earshot archive reindex --segment SEGMENT",
  deleted_but_held: "earshot archive forget --post URI --yes",
  counts_ahead: "restore a backup; until then some counts are skipped",
  index_lacks: "earshot archive reindex --segment SEGMENT",
  index_exceeds: "earshot archive reindex --segment SEGMENT",
  sealed_damaged: "earshot archive reindex --segment SEGMENT",
  sums_differ: "earshot archive reindex --segment SEGMENT",
} as const;

export type FindingKind = keyof typeof findingKinds;

export type Finding = {
  kind: FindingKind;
  /** `<platform>/<sequence>`; null for the catalog or several segments. */
  segment: string | null;
  platform: Platform | null;
  id: bigint | null;
  uri: string | null;
  message: string;
};

const catalogRemedy = "restore a backup, or earshot archive recover";

export function findingRemedy({ kind, segment, id, uri }: Finding): string {
  if (kind === "file_damaged" && segment === null) return catalogRemedy;
  return findingKinds[kind]
    .replace("SEGMENT", segment ?? "…")
    .replace("URI", () => uri ?? String(id));
}

export type Findings = {
  add(finding: Pick<Finding, "kind" | "message"> & Partial<Finding>): void;
  list(): readonly Finding[];
  count(): number;
};

export function collectFindings(maxPerKindAndSegment: number): Findings {
  const listedFindings: Finding[] = [];
  const counts = new Map<string, number>();
  let count = 0;
  return {
    add: (finding) => {
      const key = `${finding.kind} ${finding.segment}`;
      const previousCount = counts.get(key) ?? 0;
      counts.set(key, previousCount + 1);
      count += 1;
      if (previousCount >= maxPerKindAndSegment) return;
      listedFindings.push({ segment: null, platform: null, id: null, uri: null, ...finding });
    },
    list: () => listedFindings,
    count: () => count,
  };
}
