import { describe, expect, it } from "vitest";
import { auditActions } from "../../src/accounts/audit.ts";
import { refusalCodes } from "../../src/accounts/sign-in/refusal.ts";
import type { AuditEntryResponse } from "../../src/http/dashboard/contract/audit.ts";
import { auditSentence } from "../../web/src/audit/audit-sentence.ts";
import { findRefusal } from "../../web/src/pages/sign-in/sign-in-errors.ts";

function entry(
  action: AuditEntryResponse["action"],
  part: Partial<AuditEntryResponse> = {},
): AuditEntryResponse {
  const at = "2026-11-22T12:00:00.000Z";
  return { sequence: 1, at, action, actor: "ann", subject: "ann", key: null, detail: {}, ...part };
}

describe("dashboard texts", () => {
  it.each(auditActions)("the dashboard describes %s in a sentence for any detail", (action) => {
    for (const detail of [{}, { way: 7, sessions: null, methods: 3, expires_at: true }]) {
      const sentence = auditSentence(entry(action, { detail }));
      expect(sentence).toMatch(/^[A-Z][^_]+$/);
      expect(sentence).not.toMatch(/undefined|null|NaN|\[object/);
    }
  });

  it.each<[AuditEntryResponse["action"], Partial<AuditEntryResponse>, string]>([
    ["key_created", { key: "laptop" }, "Created key \u2068laptop\u2069"],
    ["key_revoked", { key: "a deleted key" }, "Revoked a key (since deleted)"],
    [
      "key_rotated",
      { key: "laptop", detail: { overlap_hours: 24 } },
      "Rotated key \u2068laptop\u2069, old key valid for another 24 h",
    ],
    [
      "key_rotated",
      { key: "laptop", detail: { overlap_hours: 168 } },
      "Rotated key \u2068laptop\u2069, old key valid for another 7 days",
    ],
    [
      "key_rotated",
      { key: "laptop", detail: { overlap_hours: 0 } },
      "Rotated key \u2068laptop\u2069, old key ended immediately",
    ],
    [
      "key_changed",
      {
        key: "laptop",
        detail: { renamed: true, methods: null, expires_at: null, requests_per_second: 1 },
      },
      "Changed key \u2068laptop\u2069: renamed; all methods; does not expire; 1 request per second",
    ],
    [
      "account_limits_changed",
      { detail: { requests_per_second: 50, submissions_per_minute: null } },
      "Account limits set to 50 requests per second, the default searches per minute",
    ],
    [
      "sign_in_refused",
      { detail: { way: "github", word: "denied" } },
      "Sign-in with GitHub refused: cancelled by the user",
    ],
    ["signed_in", { detail: { way: "link" } }, "Signed in by link"],
    ["sessions_ended", { detail: { sessions: 1 } }, "Signed out everywhere, 1 session"],
    [
      "credential_added",
      { detail: { platform: "x", kind: "app-token" } },
      "Credential added for x, app-token",
    ],
  ])("the dashboard describes %s with its details", (action, part, sentence) => {
    expect(auditSentence(entry(action, part))).toBe(sentence);
  });

  it.each(refusalCodes)("the dashboard has a title for the sign-in error %s", (word) => {
    expect(findRefusal(word)?.title).not.toBe(findRefusal("an unknown word")?.title);
  });
});
