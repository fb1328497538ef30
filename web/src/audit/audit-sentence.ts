import type { AuditEntryResponse } from "../../../src/http/dashboard/contract/audit.ts";
import { isolateBidi } from "../isolate-bidi.ts";

export type AuditAction = AuditEntryResponse["action"];

/** Without the actor and final period. */
export function auditSentence(entry: AuditEntryResponse): string {
  return sentences[entry.action](entry);
}

const sentences: Readonly<Record<AuditAction, (entry: AuditEntryResponse) => string>> = {
  account_created: ({ detail }) => `Account created${methodText(detail.way)}`,
  account_deleted: () => "Account deleted",
  account_exported: () => "Account data exported",
  account_limits_changed: ({ detail }) => `Account limits set to ${ratesText(detail)}`,
  account_restored: () => "Account restored",
  account_role_changed: ({ detail }) =>
    detail.role === "operator" ? "Role changed to operator" : "Role changed to member",
  account_suspended: ({ detail }) =>
    detail.reason_changed === true ? "Suspension reason changed" : "Account suspended",
  app_connected: (entry) => `Connected ${appText(entry)}`,
  app_disconnected: (entry) =>
    `Disconnected ${appText(entry)}${endReasonText(entry.detail.reason)}`,
  credential_added: ({ detail }) => `Credential added${credentialText(detail)}`,
  credential_removed: ({ detail }) => `Credential removed${credentialText(detail)}`,
  key_changed: (entry) => `Changed ${keyText(entry)}: ${changesText(entry.detail)}`,
  key_created: (entry) => `Created ${keyText(entry)}`,
  key_revoked: (entry) => `Revoked ${keyText(entry)}`,
  key_rotated: (entry) => `Rotated ${keyText(entry)}, ${overlapText(entry.detail.overlap_hours)}`,
  node_approved: ({ detail }) => `Node${nodeText(detail.node)} approved`,
  node_drained: ({ detail }) => `Node${nodeText(detail.node)} drained: it gets no new jobs`,
  node_removed: ({ detail }) => `Node${nodeText(detail.node)} removed: permanently refused`,
  session_ended: ({ detail }) =>
    detail.reason === "too_many"
      ? "Least recently used session ended: session limit reached"
      : "Signed out another session",
  session_stolen: () => "Session ended: its replaced cookie was used again",
  sessions_ended: ({ detail }) => `Signed out everywhere${countText(detail.sessions)}`,
  sign_in_link_made: () => "Sign-in link created",
  sign_in_refused: ({ detail }) =>
    `Sign-in${methodText(detail.way)} refused${refusalText(detail.word)}`,
  signed_in: ({ detail }) => `Signed in${methodText(detail.way)}`,
  signed_out: () => "Signed out",
};

export const auditActions = Object.keys(sentences) as AuditAction[];

type DetailValue = AuditEntryResponse["detail"][string] | undefined;

const methods: Readonly<Record<string, string>> = {
  github: " with GitHub",
  gitlab: " with GitLab",
  link: " by link",
};

const methodText = (method: DetailValue) =>
  typeof method === "string" ? (methods[method] ?? "") : "";

const refusals: Readonly<Record<string, string>> = {
  denied: "cancelled by the user",
  expired: "it expired, or was started in another browser",
  refused: "the code host rejected this installation",
  not_allowed: "the account is not allowed",
  provider_failed: "the code host failed",
  suspended: "the account is suspended",
  too_many: "too many account deletions",
};

const refusalText = (reason: DetailValue) => {
  const text = typeof reason === "string" ? refusals[reason] : undefined;
  return text === undefined ? "" : `: ${text}`;
};

function appText({ key }: AuditEntryResponse): string {
  return key === null || key === "a deleted key"
    ? "an app (since deleted)"
    : `app ${isolateBidi(key)}`;
}

const endReasons: Readonly<Record<string, string>> = {
  app: ": by the app",
  token_reused: ": a used token was sent again, so it may have been stolen",
  too_many: ": limit of connected apps reached",
};

const endReasonText = (reason: DetailValue) =>
  typeof reason === "string" ? (endReasons[reason] ?? "") : "";

function keyText({ key }: AuditEntryResponse): string {
  return key === null || key === "a deleted key"
    ? "a key (since deleted)"
    : `key ${isolateBidi(key)}`;
}

function overlapText(hours: DetailValue): string {
  if (typeof hours !== "number" || hours === 0) return "old key ended immediately";
  return `old key valid for another ${hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`}`;
}

function credentialText({ platform, kind }: AuditEntryResponse["detail"]): string {
  return typeof platform === "string" ? ` for ${platform}, ${String(kind)}` : "";
}

const nodeText = (node: DetailValue) => (typeof node === "string" ? ` ${node}` : "");

function countText(sessions: DetailValue): string {
  if (typeof sessions !== "number") return "";
  return `, ${sessions} ${sessions === 1 ? "session" : "sessions"}`;
}

function ratesText({
  requests_per_second: requests,
  submissions_per_minute: searches,
}: AuditEntryResponse["detail"]): string {
  const parts = [
    ...(requests === undefined ? [] : [`${rateText(requests, "request")} per second`]),
    ...(searches === undefined ? [] : [`${rateText(searches, "search")} per minute`]),
  ];
  return parts.join(", ");
}

function rateText(rate: DetailValue, singular: "request" | "search"): string {
  const plural = singular === "search" ? "searches" : "requests";
  return typeof rate === "number"
    ? `${rate} ${rate === 1 ? singular : plural}`
    : `the default ${plural}`;
}

function changesText(detail: AuditEntryResponse["detail"]): string {
  const { renamed, methods, expires_at: expiresAt } = detail;
  const rates = ratesText(detail);
  const changes = [
    ...(renamed === true ? ["renamed"] : []),
    ...(methods === undefined ? [] : [methodsText(methods)]),
    ...(expiresAt === undefined ? [] : [endText(expiresAt)]),
    ...(rates === "" ? [] : [rates]),
  ];
  return changes.length === 0 ? "no details" : changes.join("; ");
}

function methodsText(methods: DetailValue): string {
  return typeof methods === "string" ? `methods ${methods.split(",").join(", ")}` : "all methods";
}

function endText(expiresAt: DetailValue): string {
  return typeof expiresAt === "string" ? `expires ${expiresAt.slice(0, 10)}` : "does not expire";
}
