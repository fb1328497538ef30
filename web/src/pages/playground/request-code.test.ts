import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { joinParts, requestCode } from "./request-code.ts";
import type { Request } from "./search-request.ts";

const hostile = `it's "quoted" \\ $HOME \`id\` $(id) !! \n\t%s é 日本 🎉 \u2028 '"'"' </script> -- ;&|`;
const request: Request = {
  query: hostile,
  method: "searchbyquery",
  platform: "social",
  maxResults: 20,
};
const body = {
  type: "social",
  arguments: { type: "searchbyquery", query: hostile, max_results: 20 },
};

const code = (name: string): string =>
  joinParts(
    requestCode(request, "https://earshot.example").find((sample) => sample.name === name)?.parts ??
      [],
  );

describe("the request in code", () => {
  it("the request in a shell command preserves any query", () => {
    const script = `curl() { printf '%s\\0' "$@"; }; EARSHOT_KEY=k\n${code("curl")}`;
    const curlArguments = execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }).split("\0");
    expect(curlArguments.slice(0, 4)).toEqual([
      "https://earshot.example/v1/search/social",
      "-H",
      "Authorization: Bearer k",
      "--json",
    ]);
    expect(JSON.parse(curlArguments[4] ?? "")).toEqual(body);
  });

  it("the request in TypeScript preserves any query", async () => {
    const bodyText = /body: JSON\.stringify\(([\s\S]*)\),\n {2}\},\n\);/.exec(
      code("typescript"),
    )?.[1];
    const parsedBody: unknown = new Function(`return (${bodyText});`)();
    expect(parsedBody).toEqual(body);
  });

  it("the request in Python preserves any query", () => {
    const bodyText = /data=json\.dumps\(([\s\S]*)\)\.encode\(\)/.exec(code("python"))?.[1];
    // JSON strings and numbers are valid Python if their escapes are.
    expect(JSON.parse(bodyText ?? "")).toEqual(body);
    expect(bodyText?.replaceAll("\\\\", "")).not.toMatch(/\\[^"bfnrtu]/);
  });
});
