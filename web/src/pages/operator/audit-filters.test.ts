import { expect, test } from "vitest";
import { actionLabel, auditPagePath, auditPath, filtersIn } from "./audit-filters.ts";

test("the page's address preserves the audit filters", () => {
  const filters = {
    account: "a b",
    action: "key_created",
    actor: "command_line",
    from: "2026-11-01",
    to: "2026-11-30",
  } as const;
  const [, search] = auditPagePath(filters).split("?");
  expect(filtersIn(new URLSearchParams(search))).toEqual(filters);
  expect(auditPagePath({})).toBe("/audit");
});

test("unknown actions and impossible days are dropped from the audit filters", () => {
  const search = new URLSearchParams({
    action: "magic",
    from: "2026-13-01",
    to: "soon",
    actor: "",
  });
  expect(filtersIn(search)).toEqual({});
});

test("an audit request covers whole local days, including the last day", () => {
  const query = new URLSearchParams(
    auditPath({ from: "2026-11-28", to: "2026-11-28" }).split("?")[1],
  );
  const [from, to] = ["from", "to"].map((name) => new Date(query.get(name) ?? ""));
  expect(from).toEqual(new Date("2026-11-28T00:00"));
  expect(to).toEqual(new Date("2026-11-29T00:00"));
});

test("the actions of the audit log are labelled in words", () => {
  expect(actionLabel("sign_in_refused")).toBe("Sign in refused");
});
