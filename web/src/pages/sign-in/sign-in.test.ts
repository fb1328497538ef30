import { describe, expect, it } from "vitest";
import { linkTokenOf } from "./link-token.ts";
import { refusalOf } from "./sign-in-errors.ts";

describe("the token of a sign-in link", () => {
  it("the token of a sign-in link is the text after #token=, and empty when malformed", () => {
    const token = "A-b_".repeat(10);
    expect(linkTokenOf(`#token=${token}`)).toBe(token);
    expect(linkTokenOf("#token=short")).toBe("");
    expect(linkTokenOf(`#token=${token}&more`)).toBe("");
    expect(linkTokenOf("#main")).toBeNull();
    expect(linkTokenOf("")).toBeNull();
  });
});

describe("a sign-in error", () => {
  it("every sign-in error has a text, including unknown ones", () => {
    expect(refusalOf("denied")?.title).toBe("Sign-in cancelled");
    expect(refusalOf("toString")?.title).toBe("Sign-in failed");
    expect(refusalOf(null)).toBeNull();
  });
});
