import { expect, test } from "vitest";
import { attemptHash, isState, oauthState, pkceCodeVerifier } from "./attempt.ts";

const secret = "s".repeat(43);

test("values derived from a sign-in's secret differ from it and from each other, by purpose and provider", () => {
  const values = [
    secret,
    attemptHash(secret),
    oauthState(secret, "github"),
    oauthState(secret, "gitlab"),
    pkceCodeVerifier(secret, "github"),
    pkceCodeVerifier(secret, "gitlab"),
  ];
  expect(new Set(values).size).toBe(values.length);
});

test("a sign-in's state is valid only for its secret and provider", () => {
  const state = oauthState(secret, "github");
  expect(isState(state, secret, "github")).toBe(true);
  expect(isState(state, secret, "gitlab")).toBe(false);
  expect(isState(state, "t".repeat(43), "github")).toBe(false);
  expect(isState(`${state}=`, secret, "github")).toBe(false);
  expect(isState("", secret, "github")).toBe(false);
});

test("a sign-in's code verifier has the form of RFC 7636", () => {
  expect(pkceCodeVerifier(secret, "github")).toMatch(/^[\w-]{43}$/);
});
