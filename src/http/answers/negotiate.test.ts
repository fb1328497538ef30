import { expect, test } from "vitest";
import { startCpuTime } from "../../../testkit/cpu-time.ts";
import { negotiate } from "./negotiate.ts";

const json = "application/json";
const ndjson = "application/x-ndjson";
const csv = "text/csv";
const markdown = "text/markdown";

test.each([
  [undefined, json],
  ["", json],
  ["*/*", json],
  ["application/*", json],
  ["text/*", csv],
  ["application/json, text/plain, */*", json],
  [markdown, markdown],
  ["TEXT/Markdown", markdown],
  ["application/x-ndjson; charset=utf-8", ndjson],
  ["text/csv; header=present; q=0.5", csv],
])("Accept: %s selects %s", (accept, format) => {
  expect(negotiate(accept)).toBe(format);
});

test.each([
  ["text/csv;q=0.5, text/markdown;q=0.8", markdown],
  ["text/csv;q=0.5, text/markdown;Q=0.501", markdown],
  ["application/json;q=0, */*;q=0.1", ndjson],
  ["text/*;q=0.9, text/csv;q=0.1, application/json;q=0.5", markdown],
  ["*/*;q=0.1, text/csv;q=0.2", csv],
])("the highest weight in an Accept header wins: %s selects %s", (accept, format) => {
  expect(negotiate(accept)).toBe(format);
});

test.each([
  ["text/markdown, text/html, */*", markdown],
  ["*/*, text/markdown", markdown],
  ["text/csv, application/json", csv],
  ["text/markdown, text/csv", markdown],
  ["text/*, application/json", json],
])(
  "for equal weights, the more specific range wins, then the first one: %s selects %s",
  (accept, format) => {
    expect(negotiate(accept)).toBe(format);
  },
);

test.each([
  ['text/plain;note="a, text/csv", text/markdown', markdown],
  ['text/plain;note="a\\", text/csv", text/markdown', markdown],
  [", ,text/csv,", csv],
  ["nonsense, text/csv", csv],
  ["*/csv, text/markdown", markdown],
  ["text/csv;q=2, text/markdown;q=0.1", markdown],
  ["text/csv;q=, text/markdown;q=0.1", markdown],
])(
  "quotes in an Accept header protect separators, and malformed elements are ignored: %s selects %s",
  (accept, format) => {
    expect(negotiate(accept)).toBe(format);
  },
);

test.each([
  "text/html",
  "image/*, text/plain",
  "*/*;q=0",
  "application/json;q=0",
  "json",
  "text/csv;q=0.0001",
  '"text/csv',
])("Accept: %s is rejected with a list of the supported types", (accept) => {
  expect(() => negotiate(accept)).toThrow(
    expect.objectContaining({
      code: "not_acceptable",
      status: 406,
      hint: expect.stringContaining("text/markdown"),
      details: [expect.objectContaining({ expected: [json, ndjson, csv, markdown] })],
    }),
  );
});

test.each([";", ",", '"', "\\", " ;", "a/b;", 'a/b;q="'])(
  "a long Accept header of %j is parsed in linear time",
  (piece) => {
    const cpuMs = startCpuTime();
    expect(() => negotiate(piece.repeat(200_000))).toThrow();
    expect(cpuMs()).toBeLessThan(2_000);
  },
);
