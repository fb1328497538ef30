import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Outcome, runCommand } from "../../../testkit/service/run-command.ts";
import { openControl } from "../../server/control/control.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-"));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

function earshot(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Outcome> {
  return runCommand(args, { EARSHOT_DATA_DIR: dataDir, ...environment });
}

async function actions(): Promise<unknown[]> {
  const control = await openControl({ dataDir });
  const params = { accountId: null, before: null, limit: 10 };
  const entries = await control.run("readAudit", params);
  await control.close();
  return entries.map(({ action, actor }) => [action, actor]);
}

test("sign-in prints only the operator's link to standard output, with the token in the fragment", async () => {
  const { code, out, notes } = await earshot(["sign-in"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/dashboard\/sign-in#token=[\w-]{43}\n$/);
  expect(notes).toBe("");
  expect(await actions()).toEqual([["sign_in_link_made", "the command line"]]);
});

test.each([
  [{ EARSHOT_PUBLIC_URL: "https://earshot.example" }, "https://earshot.example/dashboard/"],
  [{ EARSHOT_HOST: "0.0.0.0", EARSHOT_PORT: "9000" }, "http://127.0.0.1:9000/dashboard/"],
  [{ EARSHOT_HOST: "::1" }, "http://[::1]:8080/dashboard/"],
])(
  "the sign-in link starts with an address that a browser can open: %j",
  async (environment, prefix) => {
    const { out } = await earshot(["sign-in"], environment);
    expect(out.startsWith(prefix)).toBe(true);
  },
);

test("sign-in --account accepts the same names as keys create", async () => {
  await earshot(["keys", "create", "--name", "laptop", "--account", "newsroom"]);
  expect((await earshot(["sign-in", "--account", "newsroom"])).code).toBe(0);
  const unknownAccount = await earshot(["sign-in", "--account", "nobody"]);
  expect(unknownAccount.code).toBe(1);
  expect(unknownAccount.notes).toMatch(/^earshot: account "nobody" not found – /);
});
