import { expect, test } from "vitest";
import { makeJob } from "./job.test-support.ts";
import { proofDownload } from "./proof.ts";

const node = "5d1f0c2ab37e9946";

test.each([
  ["tdx", "npx earshot verify proof-0f8fad5b.json --policy policy.json"],
  ["simulated", "npx earshot verify proof-0f8fad5b.json --accept simulated --policy policy.json"],
  ["none", "npx earshot verify proof-0f8fad5b.json --accept none"],
] as const)(
  "a job's page offers a proof and its verify command for a node with %s evidence",
  (evidence, command) => {
    const proof = proofDownload(makeJob({ node, evidence }));
    expect(proof).toMatchObject({
      kind: "file",
      path: "/v1/search/live/result/0f8fad5b-d9cb-469f-a165-70867728950e/proof",
      name: "proof-0f8fad5b.json",
      command,
    });
  },
);

test.each(["simulated", "none"] as const)(
  "a job's page states what %s evidence does not prove",
  (evidence) => {
    const proof = proofDownload(makeJob({ node, evidence }));
    expect(proof).toMatchObject({ meaning: expect.stringContaining("nothing about the machine") });
  },
);

test("a job's page explains why a result of the embedded node has no proof", () => {
  expect(proofDownload(makeJob())).toMatchObject({
    kind: "none",
    reason: expect.stringContaining("this server ran the search itself"),
  });
});

test.each(["in progress", "error", "cancelled", "expired"] as const)(
  "a job that is %s has no proof",
  (status) => {
    expect(proofDownload(makeJob({ status, node, evidence: "tdx" }))).toBeNull();
  },
);
