import { Headers } from "undici";
import { describe, expect, test } from "vitest";
import { startCpuTime } from "../../../testkit/cpu-time.ts";
import { readJson } from "./read-json.ts";

const readBody = (body: string | Buffer, status = 200, contentType = "application/json") =>
  readJson(
    "api.example",
    {
      status,
      headers: new Headers({ "content-type": contentType }),
      body: Buffer.from(body),
      text: () => "",
      json: () => null,
    },
    200_000,
  );

describe("an answer", () => {
  test.each([
    ['{"a":[1,null,"ä"]}', { a: [1, null, "ä"] }],
    ['\ufeff"mark"', "mark"],
    ["12345678901234567890123", Number("12345678901234567890123")],
    ["-0.5e400", Number.NEGATIVE_INFINITY],
  ])("the JSON answer %s is parsed", async (body, value) => {
    await expect(readBody(body)).resolves.toEqual(value);
  });

  test.each([204, 205])("an answer with status %i is null", async (status) => {
    await expect(readBody("", status)).resolves.toBeNull();
  });

  test("the body of a refusal can be anything", async () => {
    await expect(readBody("<p>No</p>", 404)).resolves.toBeNull();
    await expect(readBody("", 400)).resolves.toBeNull();
    await expect(readBody('{"error":"no"}', 400)).resolves.toEqual({ error: "no" });
  });
});

describe("an unreadable answer", () => {
  test.each([
    ["", "empty body"],
    ["NaN", "not JSON"],
    ["nul!", "not JSON"],
    ['{"a":', "truncated JSON"],
    ["<p>secret</p>", "not JSON"],
    ["\ud800[", "not JSON"],
  ])("the unreadable answer %j is reported without its content", async (body, reason) => {
    await expect(readBody(body)).rejects.toMatchObject({
      code: "answer_unreadable",
      retryable: true,
      message: `api.example sent an invalid response: ${reason}`,
    });
  });

  test("the error names the content type received in place of JSON", async () => {
    await expect(readBody("<p>", 200, "text/html; charset=utf-8")).rejects.toThrow(
      "text/html instead of JSON",
    );
    await expect(readBody("<p>", 200, "<script>")).rejects.toThrow("not JSON");
  });

  test.each([
    ["nests deeper than 64 levels", `${"[".repeat(65)}${"]".repeat(65)}`, "deeper than 64 levels"],
    ["nests without an end", "[".repeat(3_000_000), "deeper than 64 levels"],
    ["contains very many small values", `[${"{},".repeat(2_000_000)}0]`, "more than 200000 values"],
    [
      "contains very many names",
      `{${Array.from({ length: 100_000 }, (_, n) => `"n${n}":1`).join(",")}}`,
      "more than 5000 different names",
    ],
  ])("an answer that %s is unreadable, and is not retried", async (_what, body, reason) => {
    const cpuMs = startCpuTime();
    await expect(readBody(body)).rejects.toMatchObject({
      code: "answer_unreadable",
      retryable: false,
      message: expect.stringContaining(reason),
    });
    expect(cpuMs()).toBeLessThan(1_000);
  });
});
