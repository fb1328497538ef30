import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createTestProgram, waitForOutput } from "../../testkit/service/program.ts";

const { folder, start, earshot } = createTestProgram();

const leftBehind = () => readdirSync(folder).filter((name) => name.startsWith("earshot-demo-"));

test("a demo runs from submission to result and leaves nothing behind", async () => {
  const { code, out, notes } = await earshot(["demo"]);
  expect(notes).toBe("");
  expect(code).toBe(0);
  expect(out).toMatch(/HTTP\/1.1 202 Accepted/);
  expect(out).toMatch(/"uuid": "[0-9a-f-]{36}", "error": ""/);
  for (const field of ["ID", "Content", "Metadata", "Score", "public_metrics", "coverage"]) {
    expect(out).toContain(`"${field}": `);
  }
  expect(out).toMatch(/HTTP\/1.1 400 Bad Request/);
  expect(out).toContain('"offset": 13');
  expect(leftBehind()).toEqual([]);
});

test("a demo with --keep runs until it is stopped, then leaves nothing behind", async () => {
  const run = start(["demo", "--keep"]);
  const key = await waitForOutput(run, /^KEY=(ear_\w+)$/m);
  const url = await waitForOutput(run, /The demo keeps running at (http:\S+)/);
  expect(leftBehind()).toHaveLength(1);
  const response = await fetch(`${url}/v1/search/live/social/status/${crypto.randomUUID()}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(404);
  run.child.kill("SIGINT");
  expect(await run.ended).toEqual({ code: 0, signal: null });
  expect(leftBehind()).toEqual([]);
});

test("a demo that cannot start leaves nothing behind", async () => {
  const blocker = start(["demo", "--keep"]);
  const port = await waitForOutput(blocker, /The demo keeps running at http:\S+:(\d+)/);
  const { code, notes } = await earshot(["demo", "--keep"], { EARSHOT_PORT: port });
  expect(code).toBe(1);
  expect(notes).toMatch(/^earshot: .*EADDRINUSE.* – .*EARSHOT_PORT/);
  expect(leftBehind()).toHaveLength(1);
  blocker.child.kill("SIGTERM");
  await blocker.ended;
  expect(leftBehind()).toEqual([]);
});
