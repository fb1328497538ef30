/** Kinds of upkeep; `tasks.ts` says what each does. */
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

/** What the upkeep of an archive does and finds. */
export type CompactionState = {
  /** `elsewhere`: another process keeps this archive up. */
  status: "idle" | "working" | "elsewhere";
  doing: { kind: TaskKind; platform: string; sequence: number } | null;
  /** Tasks that wait, by their kind. */
  waiting: Readonly<Record<TaskKind, number>>;
  /** Tasks done since the start, by their kind. */
  done: Readonly<Record<TaskKind, number>>;
  /** Posts that aged out since the start. */
  agedOutPosts: number;
  /** What went wrong last, and when; null where the last task went well. `kind` is null where no task was begun. */
  fault: { kind: TaskKind | null; message: string; atMs: number } | null;
  segments: number;
  bytes: number;
  maxBytes: number;
  /** Whether the archive is over its bound though nothing is left that ages out: imports alone, and what is newest. */
  isOverBound: boolean;
  /** Segment files that belong to no segment, and were set aside. */
  orphaned: { files: number; bytes: number };
  /** The longest write-ahead log. */
  walBytes: number;
  /** Count changes that wait to be added to their posts. */
  counts: number;
};

export const countsByKind = (): Record<TaskKind, number> =>
  Object.fromEntries(taskKinds.map((kind) => [kind, 0])) as Record<TaskKind, number>;

/** What is told where another process keeps the archive up, or nothing has been looked at yet. */
export const unknownState = (
  status: CompactionState["status"],
  maxBytes: number,
): CompactionState => ({
  status,
  doing: null,
  waiting: countsByKind(),
  done: countsByKind(),
  agedOutPosts: 0,
  fault: null,
  segments: 0,
  bytes: 0,
  maxBytes,
  isOverBound: false,
  orphaned: { files: 0, bytes: 0 },
  walBytes: 0,
  counts: 0,
});
