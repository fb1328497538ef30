import { expect, test } from "vitest";
import { readAllowList } from "./allow-list.ts";

test("`everyone` must be the only entry of the sign-up allow list", () => {
  expect(readAllowList("everyone")).toEqual([{ kind: "everyone" }]);
  expect(readAllowList("everyone,ann")).toBeNull();
});

test("the allow list accepts logins and organisations, with or without a provider", () => {
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
])("the allow list rejects a malformed entry: %j", (text) => {
  expect(readAllowList(text)).toBeNull();
});
