import { describe, expect, it } from "vitest";
import { parseLinkToken } from "./link-token.ts";
import { findRefusal } from "./sign-in-errors.ts";

describe("the token of a sign-in link", () => {
  it("the token of a sign-in link is the text after #token=, or empty if it is malformed", () => {
    const token = "A-b_".repeat(10);
    expect(parseLinkToken(`#token=${token}`)).toBe(token);
    expect(parseLinkToken("#token=short")).toBe("");
    expect(parseLinkToken(`#token=${token}&more`)).toBe("");
    expect(parseLinkToken("#main")).toBeNull();
    expect(parseLinkToken("")).toBeNull();
  });
});

describe("a sign-in error", () => {
  it("every sign-in error, even an unknown one, has a text", () => {
    expect(findRefusal("denied")?.title).toBe("Sign-in cancelled");
    expect(findRefusal("toString")?.title).toBe("Sign-in failed");
    expect(findRefusal(null)).toBeNull();
  });
});
