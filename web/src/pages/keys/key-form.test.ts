import { describe, expect, it } from "vitest";
import type { KeyListingResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { ApiProblem } from "../../api.ts";
import {
  checkForm,
  emptyKeyForm,
  formChanges,
  formToRequest,
  type KeyForm,
  keyToForm,
  problemErrors,
} from "./key-form.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const limits = { requests_per_second: 3, submissions_per_minute: 10 };
const laptop: KeyForm = { ...emptyKeyForm, name: "laptop" };

describe("the key form", () => {
  it("the key form is converted to a request", () => {
    expect(
      formToRequest({ ...laptop, name: " laptop ", expiry: "30", requests: "2" }, nowMs),
    ).toEqual({
      name: "laptop",
      methods: null,
      requests_per_second: 2,
      submissions_per_minute: null,
      expires_at: "2026-12-22T12:00:00.000Z",
    });
    expect(formToRequest({ ...laptop, methodScope: "some", expiry: "never" }, nowMs)).toMatchObject(
      {
        methods: ["searchbyquery"],
        expires_at: null,
      },
    );
  });

  it("the key form sets the expiry to the end of the selected day", () => {
    const { expires_at: endsAt } = formToRequest(
      { ...laptop, expiry: "date", day: "2026-12-24" },
      nowMs,
    );
    expect(new Date(endsAt ?? "").getTime()).toBe(new Date("2026-12-24T23:59:59").getTime());
  });

  it.each<[string, Partial<KeyForm>, string]>([
    ["a name of only spaces", { name: "  " }, "name"],
    ["no selected method", { methodScope: "some", methods: [] }, "methods"],
    ["no day", { expiry: "date", day: "" }, "expires"],
    ["a day in the past", { expiry: "date", day: "2026-11-20" }, "expires"],
    ["a rate that is not a number", { requests: "two" }, "requests"],
    ["a rate of zero", { requests: "0" }, "requests"],
    ["more requests than the account's limit", { requests: "4" }, "requests"],
    ["more searches than the account's limit", { searches: "11" }, "searches"],
  ])("the key form rejects %s", (_what, part, field) => {
    expect(Object.keys(checkForm({ ...laptop, ...part }, limits, nowMs))).toEqual([field]);
  });

  it("the key form accepts limits within those of the account", () => {
    const form = {
      ...laptop,
      requests: "3",
      searches: "10",
      expiry: "date",
      day: "2026-11-22",
    } as const;
    expect(checkForm(form, limits, nowMs)).toEqual({});
    const unbounded = { requests_per_second: null, submissions_per_minute: null };
    expect(checkForm({ ...laptop, requests: "5000" }, unbounded, nowMs)).toEqual({});
  });

  it("the key form assigns server errors to their fields and ignores others", () => {
    const problem = new ApiProblem({
      code: "invalid_request",
      status: 400,
      message: "/name: the name is too long",
      details: [
        { code: "x", message: "the name is too long", hint: "send less", pointer: "/name" },
        { code: "x", message: "the rate is too high", pointer: "/requests_per_second" },
        { code: "x", message: "elsewhere", pointer: "/other" },
      ],
    });
    expect(problemErrors(problem)).toEqual({
      name: "The name is too long: send less.",
      requests: "The rate is too high.",
    });
  });
});

describe("an edit of a key", () => {
  const key: KeyListingResponse = {
    id: "AAAAAAAA",
    name: "laptop",
    shown: "ear_AAAAAAAA_…",
    state: "active",
    methods: ["searchbyquery"],
    requests_per_second: 1,
    submissions_per_minute: null,
    created_at: "2026-11-01T00:00:00.000Z",
    expires_at: "2026-12-24T17:30:00.000Z",
    revoked_at: null,
    used_at: null,
    used_from: null,
    successor_id: null,
    left: null,
  };
  const stored = keyToForm(key);

  it("an edit of a key is empty if nothing was changed, which preserves the expiry's time of day", () => {
    expect(formChanges(stored, stored, nowMs)).toEqual({});
  });

  it("an edit of a key contains only changed fields", () => {
    expect(formChanges({ ...stored, name: "desk", requests: "" }, stored, nowMs)).toEqual({
      name: "desk",
      requests_per_second: null,
    });
    expect(formChanges({ ...stored, methodScope: "all", expiry: "never" }, stored, nowMs)).toEqual({
      methods: null,
      expires_at: null,
    });
  });
});
