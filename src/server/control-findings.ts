/** What a check of the control store finds: a stable word for scripts. */
type ControlFindingKind =
  | "file_missing"
  | "file_damaged"
  | "schema_differs"
  | "reference_broken"
  | "row_unreadable"
  | "job_inconsistent"
  | "secret_unreadable"
  | "checksum_differs";

export type ControlFinding = {
  kind: ControlFindingKind;
  /** Null where it is about the file. */
  table: string | null;
  /** The key of the row; null where it is about more than one. */
  key: string | null;
  message: string;
};

export type OnFinding = (
  kind: ControlFindingKind,
  table: string | null,
  key: string | null,
  message: string,
) => void;
