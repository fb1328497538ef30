import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signatureHeaders } from "../../src/jobs/webhooks/secrets.ts";

/** The examples of the webhooks page accept what the server signs, and nothing else. */
const page = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");

function example(language: string): string {
  const block = new RegExp(`\`\`\`${language} example\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
  if (block === undefined) throw new Error(`the page has no example in ${language}`);
  return block;
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_plJ3nmyCDGBKInavdOK15jsl";
const body = JSON.stringify({ type: "job.done", data: { error: "é 🦉" } });
const signedAt = (atMs: number, secrets = [secret]) =>
  signatureHeaders({ id: "msg_1", atMs, body }, secrets);

type Case = { headers: Record<string, string>; body: string };

const nowMs = Date.now();
const good: Case[] = [
  { headers: signedAt(nowMs), body },
  { headers: signedAt(nowMs - 200_000, [other, secret]), body },
];
const bad: Case[] = [
  { headers: signedAt(nowMs, [other]), body },
  { headers: signedAt(nowMs), body: `${body} ` },
  { headers: signedAt(nowMs - 400_000), body },
  { headers: signedAt(nowMs + 400_000), body },
  { headers: { ...signedAt(nowMs), "webhook-id": "msg_2" }, body },
  { headers: { ...signedAt(nowMs), "webhook-signature": "v1," }, body },
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the example of docs/webhooks.md", () => {
  test("the TypeScript example of docs/webhooks.md verifies a delivery", async () => {
    const path = join(folder, "verify.ts");
    writeFileSync(path, example("ts"));
    const { verify } = await import(pathToFileURL(path).href);
    for (const each of good)
      expect(verify(secret, each.headers, each.body)).toEqual(JSON.parse(body));
    for (const each of bad) expect(() => verify(secret, each.headers, each.body)).toThrow();
  });

  test.skipIf(!hasPython())(
    "the Python example of docs/webhooks.md verifies a delivery (skipped without Python 3)",
    () => {
      const path = join(folder, "verify.py");
      const run = `
import sys
for case in json.load(sys.stdin):
    try:
        verify(case["secret"], case["headers"], case["body"].encode())
        print("good")
    except ValueError:
        print("bad")
`;
      writeFileSync(path, `${example("python")}\n${run}`);
      const cases = [...good, ...bad].map((each) => ({ secret, ...each }));
      const printed = execFileSync("python3", [path], { input: JSON.stringify(cases) }).toString();
      expect(printed.trim().split("\n")).toEqual([
        ...good.map(() => "good"),
        ...bad.map(() => "bad"),
      ]);
    },
  );
});

function hasPython(): boolean {
  try {
    const version = execFileSync("python3", [
      "-c",
      "import sys; print(sys.version_info >= (3, 9))",
    ]);
    return version.toString().trim() === "True";
  } catch {
    return false;
  }
}
