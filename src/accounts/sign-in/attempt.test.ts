import { expect, test } from "vitest";
import { attemptHash, codeVerifierOf, isState, stateOf } from "./attempt.ts";

const secret = "s".repeat(43);

test("what follows from a secret differs by its use and by the provider, and leads back to nothing", () => {
  const told = [
    secret,
    attemptHash(secret),
    stateOf(secret, "github"),
    stateOf(secret, "gitlab"),
    codeVerifierOf(secret, "github"),
    codeVerifierOf(secret, "gitlab"),
  ];
  expect(new Set(told).size).toBe(told.length);
});

test("a state fits its secret and its provider alone", () => {
  const state = stateOf(secret, "github");
  expect(isState(state, secret, "github")).toBe(true);
  expect(isState(state, secret, "gitlab")).toBe(false);
  expect(isState(state, "t".repeat(43), "github")).toBe(false);
  expect(isState(`${state}=`, secret, "github")).toBe(false);
  expect(isState("", secret, "github")).toBe(false);
});

test("a verifier is one by RFC 7636", () => {
  expect(codeVerifierOf(secret, "github")).toMatch(/^[\w-]{43}$/);
});
