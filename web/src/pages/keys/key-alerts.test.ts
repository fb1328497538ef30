import { expect, test } from "vitest";
import type {
  KeyListingResponse,
  KeysResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { keyAlerts } from "./key-alerts.ts";

const nowMs = Date.UTC(2026, 10, 28);
const dayMs = 86_400_000;

const key = (overrides: Partial<KeyListingResponse>): KeyListingResponse => ({
  id: "a",
  name: "laptop",
  shown: "ear_a_…",
  state: "active",
  methods: null,
  requests_per_second: null,
  submissions_per_minute: null,
  created_at: new Date(nowMs).toISOString(),
  expires_at: null,
  revoked_at: null,
  used_at: null,
  used_from: null,
  successor_id: null,
  left: { requests: 5, submissions: 60 },
  ...overrides,
});
const getAlerts = (overrides: Partial<KeyListingResponse>): readonly string[] => {
  const limits = { requests_per_second: 5, submissions_per_minute: 60 };
  const response: KeysResponse = { keys: [key(overrides)], max_keys: 5, limits };
  return keyAlerts(response, nowMs);
};
const inDays = (days: number) => new Date(nowMs + days * dayMs).toISOString();

test("an alert warns two weeks before an active key expires", () => {
  expect(getAlerts({ expires_at: inDays(15) })).toEqual([]);
  expect(getAlerts({ expires_at: inDays(9) })[0]).toContain("expires in 9 days");
  expect(getAlerts({ expires_at: inDays(1), state: "expiring" })).toEqual([]);
});

test("an alert warns if only a tenth of the searches per minute is left", () => {
  expect(getAlerts({ left: { requests: 5, submissions: 7 } })).toEqual([]);
  expect(getAlerts({ left: { requests: 5, submissions: 6 } })[0]).toContain("has 6 of 60 searches");
  expect(getAlerts({ left: { requests: 5, submissions: 0 } })[0]).toContain("has 0 of 60");
});
