/** Each has a row in docs/dashboard.md. */
export const auditActions = [
  "account_created",
  "account_deleted",
  "account_exported",
  "account_limits_changed",
  "account_role_changed",
  "account_restored",
  "account_suspended",
  "credential_added",
  "credential_removed",
  "key_changed",
  "key_created",
  "key_revoked",
  "key_rotated",
  "node_approved",
  "node_drained",
  "node_removed",
  "session_ended",
  "session_stolen",
  "sessions_ended",
  "sign_in_link_made",
  "sign_in_refused",
  "signed_in",
  "signed_out",
] as const;

export type AuditAction = (typeof auditActions)[number];
