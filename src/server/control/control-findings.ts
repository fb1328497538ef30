/** Stable, for scripts. */
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
  table: string | null;
  key: string | null;
  message: string;
};

export type OnFinding = (
  kind: ControlFindingKind,
  table: string | null,
  key: string | null,
  message: string,
) => void;
