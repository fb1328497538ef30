import { expect, test } from "vitest";
import { returnPath } from "./sign-in.ts";

test.each([
  "/dashboard",
  "/dashboard/keys",
  "/dashboard/keys?new=1",
  "/dashboard/playground?query=comet%20lang:en",
])("the return path may be a dashboard page: %s", (path) => {
  expect(returnPath(path)).toBe(path);
});

test.each([
  null,
  "",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https://evil.example/dashboard",
  "https:evil.example",
  "https:/dashboard",
  "javascript:alert(1)",
  "dashboard",
  "/dashboard//evil.example",
  "/dashboard/%2f%2fevil.example",
  "/dashboard/%5cevil.example",
  "/dashboard/..//evil.example",
  "/dashboard/../../evil",
  "/dashboard/..",
  "/dashboard/%2e%2e/evil",
  "/\t/evil.example",
  "/dashboard\t/evil",
  "/dashboard\n/evil",
  " /dashboard",
  "/dashboard/keys\r\nset-cookie: a=b",
  "/dashboardevil",
  "/dashboard@evil.example",
  "/dashboard/api/account/export",
  "/dashboard/./api/account/export",
  "/dashboard/sign-out#x",
  "/docs",
  `/dashboard/${"x".repeat(2_100)}`,
])("any other return path is replaced by the start page: %j", (path) => {
  expect(returnPath(path)).toBe("/dashboard");
});
