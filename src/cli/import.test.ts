import { expect, test } from "vitest";
import { EarshotError } from "../lib/errors.ts";
import { interruption } from "./import.ts";

const reason = new EarshotError("interrupted", "stopped by SIGINT before the end", {
  hint: "run it again; an import goes on where it was",
});

test("an interrupted file goes on where it was, the standard input does not", () => {
  expect(interruption(reason, "posts.ndjson")).toBe(reason);
  expect(interruption(reason, "-")).toMatchObject({
    code: "interrupted",
    message: reason.message,
    hint: expect.stringMatching(/^the standard input cannot be continued: send it again/),
  });
});
