import { describe, expect, it } from "vitest";
import { auditActions } from "../src/accounts/audit-actions.ts";
import { refusalWords } from "../src/accounts/sign-in/refusal.ts";
import type { AuditEntry } from "../src/http/dashboard/contract.ts";
import { auditSentence } from "../web/src/audit/sentence.ts";
import { refusalOf } from "../web/src/pages/sign-in/refusals.ts";

function entry(action: AuditEntry["action"], part: Partial<AuditEntry> = {}): AuditEntry {
  const at = "2026-11-22T12:00:00.000Z";
  return { sequence: 1, at, action, actor: "ann", subject: "ann", key: null, detail: {}, ...part };
}

describe("the words of the dashboard", () => {
  it.each(auditActions)("tell of %s in a sentence, whatever its entry holds", (action) => {
    for (const detail of [{}, { way: 7, sessions: null, methods: 3, expires_at: true }]) {
      const sentence = auditSentence(entry(action, { detail }));
      expect(sentence).toMatch(/^[A-Z][^_]+$/);
      expect(sentence).not.toMatch(/undefined|null|NaN|\[object/);
    }
  });

  it.each<[AuditEntry["action"], Partial<AuditEntry>, string]>([
    ["key_created", { key: "laptop" }, "Key \u2068laptop\u2069 made"],
    ["key_revoked", { key: "a deleted key" }, "A key, gone since, revoked"],
    [
      "key_rotated",
      { key: "laptop", detail: { overlap_hours: 24 } },
      "Key \u2068laptop\u2069 rotated, good for another 24 h",
    ],
    [
      "key_rotated",
      { key: "laptop", detail: { overlap_hours: 168 } },
      "Key \u2068laptop\u2069 rotated, good for another 7 days",
    ],
    [
      "key_rotated",
      { key: "laptop", detail: { overlap_hours: 0 } },
      "Key \u2068laptop\u2069 rotated, ended at once",
    ],
    [
      "key_changed",
      {
        key: "laptop",
        detail: { renamed: true, methods: null, expires_at: null, requests_per_second: 1 },
      },
      "Key \u2068laptop\u2069 changed: its name; all methods; does not expire; 1 request a second",
    ],
    [
      "account_limits_changed",
      { detail: { requests_per_second: 50, submissions_per_minute: null } },
      "Limits of the account set to 50 requests a second, the usual searches a minute",
    ],
    [
      "sign_in_refused",
      { detail: { way: "github", word: "denied" } },
      "Sign-in refused with GitHub: they did not agree",
    ],
    ["signed_in", { detail: { way: "link" } }, "Signed in by a link"],
    ["sessions_ended", { detail: { sessions: 1 } }, "Signed out everywhere, 1 session"],
    [
      "credential_added",
      { detail: { platform: "x", kind: "app-token" } },
      "Credential added for x, app-token",
    ],
  ])("tell of %s what its entry holds", (action, part, sentence) => {
    expect(auditSentence(entry(action, part))).toBe(sentence);
  });

  it.each(refusalWords)("tell why a sign-in was refused: %s", (word) => {
    expect(refusalOf(word)?.title).not.toBe(refusalOf("a word that nobody knows")?.title);
  });
});
