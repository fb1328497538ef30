import { describe, expect, it } from "vitest";
import { linkTokenOf } from "./link-token.ts";
import { refusalOf } from "./refusals.ts";

describe("the token of a sign-in link", () => {
  it("is what follows #token=, when it is whole", () => {
    const token = "A-b_".repeat(10);
    expect(linkTokenOf(`#token=${token}`)).toBe(token);
    expect(linkTokenOf("#token=short")).toBe("");
    expect(linkTokenOf(`#token=${token}&more`)).toBe("");
    expect(linkTokenOf("#main")).toBeNull();
    expect(linkTokenOf("")).toBeNull();
  });
});

describe("why a sign-in was refused", () => {
  it("is told for every word, also for one that nobody knows", () => {
    expect(refusalOf("denied")?.title).toBe("You did not agree there");
    expect(refusalOf("toString")?.title).toBe("That sign-in did not work");
    expect(refusalOf(null)).toBeNull();
  });
});
