const taskKinds = [
  "drop",
  "thin",
  "cut",
  "reindex",
  "split",
  "forget",
  "optimise",
  "seal",
  "shorten",
] as const;

export type TaskKind = (typeof taskKinds)[number];

export type CompactionState = {
  status: "idle" | "working" | "other-process";
  doing: { kind: TaskKind; platform: string; sequence: number } | null;
  waiting: Readonly<Record<TaskKind, number>>;
  done: Readonly<Record<TaskKind, number>>;
  expiredPosts: number;
  error: { kind: TaskKind | null; message: string; atMs: number } | null;
  segments: number;
  bytes: number;
  maxBytes: number;
  /** `bytes` exceeds `maxBytes`, although only imports and newest segments are left. */
  isOverBound: boolean;
  orphaned: { files: number; bytes: number };
  walBytes: number;
  counts: number;
};

export const countsByKind = (): Record<TaskKind, number> =>
  Object.fromEntries(taskKinds.map((kind) => [kind, 0])) as Record<TaskKind, number>;

export const unknownState = (
  status: CompactionState["status"],
  maxBytes: number,
): CompactionState => ({
  status,
  doing: null,
  waiting: countsByKind(),
  done: countsByKind(),
  expiredPosts: 0,
  error: null,
  segments: 0,
  bytes: 0,
  maxBytes,
  isOverBound: false,
  orphaned: { files: 0, bytes: 0 },
  walBytes: 0,
  counts: 0,
});
