import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestSession } from "../../testkit/service/service-under-test.ts";
import { startChromium } from "./support/chromium.ts";
import { type Site, startSite } from "./support/site.ts";
import { findViolations } from "./support/violations.ts";
import { applyLook, looks, openWatchedPage } from "./support/watched-page.ts";
import { startWorkerNode, type WorkerNode } from "./support/worker-node.ts";

const runFile = promisify(execFile);

let browser: Browser;
let site: Site;
let node: WorkerNode;
let session: TestSession;
let operator: BrowserContext;
let outsider: BrowserContext;

beforeAll(async () => {
  browser = await startChromium();
  site = await startSite({ EARSHOT_NODES_EVIDENCE: "tdx,none" });
  node = await startWorkerNode(site.service, "ams-1");
  outsider = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  operator = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  session = await site.service.signIn({ role: "operator" });
  const [name = "", value = ""] = session.cookie.split("=");
  await operator.addCookies([
    { name, value, url: site.url, httpOnly: true, secure: true, sameSite: "Lax" },
  ]);
  await site.service.callAs(session, { method: "POST", url: "/dashboard/api/keys/first" });
});

afterAll(async () => {
  await browser.close();
  await node.remove();
  await site.stop();
});

const picture = (page: Page, name: string) =>
  page.screenshot({ path: join(site.screenshots, `nodes-${name}.png`), fullPage: true });

/** The node's row in the table of nodes. */
const pageRow = (page: Page, name: string) =>
  page
    .getByRole("table", { name: /^Nodes/ })
    .getByRole("row")
    .filter({ hasText: name });

async function submit(query: string): Promise<string> {
  const response = await site.service.callAs(session, {
    method: "POST",
    url: "/v1/search/live/x",
    payload: { type: "social", arguments: { type: "gettweets", query } },
  });
  return response.json<{ uuid: string }>().uuid;
}

test("a new node waits for approval, and the dialog says what its proofs show", async () => {
  const { page, complaints } = await openWatchedPage(operator);
  await page.goto(`${site.url}/dashboard/nodes`);
  await pageRow(page, "ams-1").getByText("pending", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Approve ams-1" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.innerText()).toContain(node.id);
  expect(await dialog.innerText()).toContain("That its results come from the holder of its keys.");
  expect(await findViolations(page)).toEqual([]);
  await picture(page, "approve");
  await dialog.getByRole("button", { name: "Approve node" }).click();
  await pageRow(page, "ams-1").getByText("connected", { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

test("a job shows which node ran it and what that proves, and its proof is downloaded and verified offline", async () => {
  const { page, complaints, waitUntilIdle } = await openWatchedPage(operator);
  await page.goto(`${site.url}/dashboard/jobs/${await submit("@ann")}`);
  const download = page.getByRole("button", { name: "Download proof" });
  await download.waitFor();
  await waitUntilIdle();
  const job = page.locator(".opened");
  expect(await job.locator(".facts").innerText()).toContain(`ams-1 ${node.id} no evidence`);
  await picture(page, "job");
  const [proofDownload] = await Promise.all([page.waitForEvent("download"), download.click()]);
  const [command = ""] = await job.locator(".proof code").allInnerTexts();
  const [npx, program, verb, file, ...options] = command.split(" ");
  expect([npx, program, file]).toEqual(["npx", "earshot", proofDownload.suggestedFilename()]);
  const path = join(site.screenshots, proofDownload.suggestedFilename());
  await proofDownload.saveAs(path);
  expect(await readFile(path, "utf8")).toContain("The harbour gates close at 21:00");
  // `earshot verify` needs only the proof file.
  const { stdout } = await runFile(process.execPath, [
    "bin/earshot.mjs",
    verb ?? "",
    path,
    ...options,
  ]);
  expect(stdout).toContain(node.id);
  expect(complaints).toEqual([]);
  await page.close();
});

test("a job of the server itself explains why it has no proof", async () => {
  const { page } = await openWatchedPage(operator);
  const response = await site.service.callAs(session, {
    method: "POST",
    url: "/v1/search/social",
    payload: { type: "social", arguments: { type: "searchbyquery", query: "harbour" } },
  });
  await page.goto(`${site.url}/dashboard/jobs/${response.json<{ uuid: string }>().uuid}`);
  await page.getByText("No proof: this server ran the search itself").waitFor();
  expect(await page.getByRole("button", { name: "Download proof" }).count()).toBe(0);
  await page.close();
});

const pagePaths = [
  "/",
  "/dashboard/sign-in",
  "/dashboard/playground",
  "/dashboard/jobs",
  "/dashboard/keys",
  "/dashboard/usage",
  "/dashboard/credentials",
  "/dashboard/status",
  "/dashboard/account",
  "/dashboard/accounts",
  "/dashboard/nodes",
  "/dashboard/audit",
  "/dashboard/nowhere",
];

test("every page warns that nodes which prove nothing may run jobs", async () => {
  for (const [index, path] of pagePaths.entries()) {
    const look = looks[index % looks.length] ?? looks[0];
    const isPublic = path === "/" || path.endsWith("/sign-in");
    const { page, complaints, waitUntilIdle } = await openWatchedPage(
      isPublic ? outsider : operator,
    );
    await applyLook(page, look);
    await page.goto(site.url + path);
    const banner = page.getByRole("region", { name: "Unverified nodes" });
    await banner.waitFor();
    expect(await banner.innerText()).toContain(
      "Results may come from machines that are not verified",
    );
    await waitUntilIdle();
    await picture(page, `${path.split("/").at(-1) || "landing"}-${look.width}-${look.scheme}`);
    const horizontalOverflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([path, horizontalOverflow]).toEqual([path, 0]);
    // Once per look, because other tests cover the pages without the banner.
    if (index < looks.length) expect(await findViolations(page)).toEqual([]);
    expect([path, complaints]).toEqual([path, []]);
    await page.close();
  }
});

test("the Status page shows the state of a node, and the Nodes page omits it once it is removed", async () => {
  const { page, complaints } = await openWatchedPage(operator);
  await page.goto(`${site.url}/dashboard/status`);
  const row = pageRow(page, "ams-1");
  await row.waitFor();
  expect(await row.innerText()).toMatch(/connected[\s\S]*no evidence[\s\S]*the holder of its keys/);
  await page.goto(`${site.url}/dashboard/nodes`);
  await page.getByRole("button", { name: "Drain ams-1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drain node" }).click();
  await row.getByText("draining", { exact: true }).waitFor();
  await page.getByLabel("More actions for ams-1").click();
  await page.getByRole("button", { name: "Remove ams-1" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("ams-1");
  await page.getByRole("dialog").getByRole("button", { name: "Remove node" }).click();
  await page.getByText("No remote nodes").waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});
