import { expect, test } from "vitest";
import { encodeRequest, encodeResult, type JobRow, jobFromRow } from "./stored.ts";
import { request, result } from "./test-jobs.ts";

const position = {
  platform: "x",
  credentialId: null,
  cursor: "c",
  lastKey: null,
  skip: 0,
} as const;
const requestedBounds = { startMs: 5, endMs: null };

const row: JobRow = {
  uuid: "uuid",
  accountId: "one",
  keyId: "key",
  request: "",
  canonicalQuery: "comet",
  warnings: "[]",
  state: "done",
  attempts: 1,
  node: null,
  notBeforeMs: 0,
  submittedMs: 1,
  deadlineMs: 2,
  startedMs: 1,
  finishedMs: 1,
  expiresMs: 9,
  result: null,
  failure: null,
};

test("requests and results with the field names of earlier versions can be read", () => {
  const { platform, type, method, query, fromMs, toMs, maxResults } = request;
  const { complete, coverage, sources, warnings } = result;
  const stored = {
    ...row,
    request: JSON.stringify({
      ...{ platform, type, method, query, fromMs, toMs, maxResults, asOfMs: 3 },
      ...{ after: null, place: position, asked: requestedBounds, isKeptHere: true },
    }),
    result: JSON.stringify({
      ...{ next: null, nextPlace: position, complete, coverage, sources, warnings, positions: [] },
    }),
  };
  const decodedJob = jobFromRow(stored, 1);
  expect(decodedJob.request).toMatchObject({
    position,
    requestedBounds,
    isLocalOnly: true,
    asOfMs: 3,
  });
  expect(decodedJob.result).toMatchObject({ nextPosition: position, items: [] });
});

test("requests and results are stored with field names that earlier versions can read", () => {
  const encoded = encodeRequest({ ...request, position, requestedBounds, isLocalOnly: true });
  expect(JSON.parse(encoded)).toMatchObject({
    place: position,
    asked: requestedBounds,
    isKeptHere: true,
  });
  expect(JSON.parse(encodeResult({ ...result, nextPosition: position }))).toMatchObject({
    nextPlace: position,
  });
});
