import { expect, test } from "vitest";
import { readAllowList } from "./allow-list.ts";

test("`everyone` must be the only entry", () => {
  expect(readAllowList("everyone")).toEqual([{ kind: "everyone" }]);
  expect(readAllowList("everyone,ann")).toBeNull();
});

test("reads logins and organisations, with or without a provider", () => {
  expect(readAllowList("Ann, github:ben,org:acme, gitlab:org:acme/press")).toEqual([
    { kind: "login", provider: null, name: "ann" },
    { kind: "login", provider: "github", name: "ben" },
    { kind: "organization", provider: null, name: "acme" },
    { kind: "organization", provider: "gitlab", name: "acme/press" },
  ]);
});

test.each([
  "",
  ",",
  "ann,",
  "a b",
  "org:",
  "github:",
  "bitbucket:ann",
  "ann/press",
  "org:../x",
  "*",
  "-ann",
])("refuses a malformed entry: %j", (written) => {
  expect(readAllowList(written)).toBeNull();
});
