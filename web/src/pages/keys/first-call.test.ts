import { describe, expect, it } from "vitest";
import { firstCall } from "./first-call.ts";

const token = `ear_AAAAAAAA_${"b".repeat(38)}`;

describe("the first call with a key", () => {
  it("the first call with a key is a shell command that contains the key", () => {
    const call = firstCall(token, "https://earshot.example", null) ?? "";
    expect(call.startsWith(`export EARSHOT_KEY=${token}\ncurl `)).toBe(true);
    expect(call).toContain("https://earshot.example/v1/search/social ");
    const body = /-d '(.*)'$/.exec(call)?.[1] ?? "";
    expect(JSON.parse(body)).toMatchObject({
      type: "social",
      arguments: { type: "searchbyquery" },
    });
  });

  it("the first call with a key uses a method that the key can call", () => {
    expect(firstCall(token, "", ["getbyid", "searchbyfullarchive"])).toContain(
      '"type":"searchbyfullarchive"',
    );
    expect(firstCall(token, "", ["getbyid"])).toBeNull();
  });
});
