import type { AuditEntry } from "../../../src/http/dashboard/contract.ts";
import { isolated } from "../isolated.ts";

type Action = AuditEntry["action"];

/** What happened, as a sentence without its end: who did it stands beside it. */
export function auditSentence(entry: AuditEntry): string {
  return sentences[entry.action](entry);
}

const sentences: Readonly<Record<Action, (entry: AuditEntry) => string>> = {
  account_created: ({ detail }) => `Account made${wayText(detail.way)}`,
  account_deleted: () => "Account deleted",
  account_exported: () => "Everything that is kept of the account exported",
  account_limits_changed: ({ detail }) => `Limits of the account set to ${ratesText(detail)}`,
  account_restored: () => "Account restored",
  account_role_changed: ({ detail }) =>
    detail.role === "operator" ? "Made an operator" : "Made a member, no operator any more",
  account_suspended: ({ detail }) =>
    detail.reason_changed === true ? "Suspended for another reason" : "Account suspended",
  credential_added: ({ detail }) => `Credential added${credentialText(detail)}`,
  credential_removed: ({ detail }) => `Credential removed${credentialText(detail)}`,
  key_changed: (entry) => `${keyText(entry)} changed: ${changesText(entry.detail)}`,
  key_created: (entry) => `${keyText(entry)} made`,
  key_revoked: (entry) => `${keyText(entry)} revoked`,
  key_rotated: (entry) => `${keyText(entry)} rotated, ${overlapText(entry.detail.overlap_hours)}`,
  node_approved: ({ detail }) => `Node${nodeText(detail.node)} approved`,
  node_drained: ({ detail }) => `Node${nodeText(detail.node)} drained: it gets no more work`,
  node_removed: ({ detail }) => `Node${nodeText(detail.node)} removed: it is refused for good`,
  session_ended: ({ detail }) =>
    detail.reason === "too_many"
      ? "A session ended: it was used longest ago, and there were too many"
      : "One session signed out from another",
  session_stolen: () => "A session ended: a cookie of it was used that had been replaced",
  sessions_ended: ({ detail }) => `Signed out everywhere${countText(detail.sessions)}`,
  sign_in_link_made: () => "Sign-in link printed",
  sign_in_refused: ({ detail }) => `Sign-in refused${wayText(detail.way)}${whyText(detail.word)}`,
  signed_in: ({ detail }) => `Signed in${wayText(detail.way)}`,
  signed_out: () => "Signed out",
};

type Told = AuditEntry["detail"][string] | undefined;

const ways: Readonly<Record<string, string>> = {
  github: " with GitHub",
  gitlab: " with GitLab",
  link: " by a link",
};

const wayText = (way: Told) => (typeof way === "string" ? (ways[way] ?? "") : "");

const refusals: Readonly<Record<string, string>> = {
  denied: "they did not agree",
  expired: "it took too long, or another browser began it",
  refused: "the code host refused this installation",
  not_allowed: "the account is not let in",
  provider_failed: "the code host failed",
  suspended: "the account is suspended",
  too_many: "the account had been deleted too often",
};

const whyText = (word: Told) => {
  const why = typeof word === "string" ? refusals[word] : undefined;
  return why === undefined ? "" : `: ${why}`;
};

function keyText({ key }: AuditEntry): string {
  return key === null || key === "a deleted key" ? "A key, gone since," : `Key ${isolated(key)}`;
}

function overlapText(hours: Told): string {
  if (typeof hours !== "number" || hours === 0) return "ended at once";
  return `good for another ${hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`}`;
}

function credentialText({ platform, kind }: AuditEntry["detail"]): string {
  return typeof platform === "string" ? ` for ${platform}, ${String(kind)}` : "";
}

const nodeText = (node: Told) => (typeof node === "string" ? ` ${node}` : "");

function countText(sessions: Told): string {
  if (typeof sessions !== "number") return "";
  return `, ${sessions} ${sessions === 1 ? "session" : "sessions"}`;
}

function ratesText({
  requests_per_second: requests,
  submissions_per_minute: searches,
}: AuditEntry["detail"]): string {
  const told = [
    ...(requests === undefined ? [] : [`${numbered(requests, "request")} a second`]),
    ...(searches === undefined ? [] : [`${numbered(searches, "search")} a minute`]),
  ];
  return told.join(", ");
}

function numbered(rate: Told, one: "request" | "search"): string {
  const many = one === "search" ? "searches" : "requests";
  return typeof rate === "number" ? `${rate} ${rate === 1 ? one : many}` : `the usual ${many}`;
}

function changesText(detail: AuditEntry["detail"]): string {
  const { renamed, methods, expires_at: expiresAt } = detail;
  const rates = ratesText(detail);
  const told = [
    ...(renamed === true ? ["its name"] : []),
    ...(methods === undefined ? [] : [methodsText(methods)]),
    ...(expiresAt === undefined ? [] : [endText(expiresAt)]),
    ...(rates === "" ? [] : [rates]),
  ];
  return told.length === 0 ? "nothing of note" : told.join("; ");
}

function methodsText(methods: Told): string {
  return typeof methods === "string" ? `may call ${methods.split(",").join(", ")}` : "all methods";
}

function endText(expiresAt: Told): string {
  return typeof expiresAt === "string" ? `ends ${expiresAt.slice(0, 10)}` : "does not expire";
}
