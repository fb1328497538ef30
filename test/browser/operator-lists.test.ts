import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { search, type TestSession } from "../../testkit/service/service-under-test.ts";
import { startChromium } from "./support/chromium.ts";
import { type Site, startSite } from "./support/site.ts";
import { openWatchedPage } from "./support/watched-page.ts";

let browser: Browser;
let site: Site;
let context: BrowserContext;
let member: TestSession;

beforeAll(async () => {
  browser = await startChromium();
  site = await startSite();
  context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  const operator = await site.service.signIn({ role: "operator" });
  const [name = "", value = ""] = operator.cookie.split("=");
  await context.addCookies([
    { name, value, url: site.url, httpOnly: true, secure: true, sameSite: "Lax" },
  ]);
  member = await site.service.signIn();
  const keyResponse = await site.service.callAs(member, {
    method: "POST",
    url: "/dashboard/api/keys",
    payload: { name: "tide robot" },
  });
  await site.service.submit(keyResponse.json().token, search("harbour"));
});
afterAll(async () => {
  await browser.close();
  await site.stop();
});

test("an operator can filter keys, jobs and usage by account with the keyboard", async () => {
  const { page, complaints } = await openWatchedPage(context);
  await page.goto(`${site.url}/dashboard/activity`);
  await page.getByRole("searchbox", { name: "Account" }).fill(member.accountId);
  const choice = page.getByRole("status").getByRole("link");
  await choice.waitFor();
  await choice.press("Enter");
  await page.getByRole("link", { name: "Remove the Account filter" }).waitFor();
  const rows = page.locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toContain("tide robot");

  await page.getByRole("link", { name: "Jobs", exact: true }).last().press("Enter");
  await page.getByRole("table", { name: "Jobs, newest first" }).waitFor();
  expect(await rows.innerText()).toContain("searchbyquery");

  await page.getByRole("link", { name: "Usage", exact: true }).last().press("Enter");
  await page.getByRole("table", { name: /^Usage by account/ }).waitFor();
  expect(await rows.innerText()).toMatch(/\t1\t0\t0\t1\t0\t\d+$/);

  await page.getByRole("link", { name: "Remove the Account filter" }).press("Enter");
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  expect(complaints).toEqual([]);
  await page.close();
}, 60_000);

test("an operator can filter the audit log, and the export contains what is shown", async () => {
  const { page, complaints } = await openWatchedPage(context);
  await page.goto(`${site.url}/dashboard/audit`);
  await page.getByRole("combobox", { name: "Action" }).selectOption("key_created");
  await expect.poll(() => page.url()).toContain("action=key_created");
  const rows = page.locator("tbody tr");
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/Created/)]);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as NDJSON" }).press("Enter");
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(["key_created"]);

  await page.getByRole("link", { name: "The server" }).press("Enter");
  await page.getByText("No entry matches these filters.").waitFor();
  await page.getByRole("link", { name: "Remove the By filter" }).press("Enter");
  await page.getByLabel("From").fill("2020-01-01");
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel("To", { exact: true }).fill("2020-01-02");
  await page.getByText("No entry matches these filters.").waitFor();
  expect(complaints).toEqual([]);
  await page.close();
}, 60_000);

test("a list that fails to load offers a retry, which loads it", async () => {
  const { page } = await openWatchedPage(context);
  await page.route("**/operator/jobs", (route) => route.abort());
  await page.goto(`${site.url}/dashboard/activity/jobs`);
  const retryButton = page.getByRole("button", { name: "Try again" });
  await retryButton.waitFor();
  await page.unroute("**/operator/jobs");
  await retryButton.press("Enter");
  await page.getByRole("table", { name: "Jobs, newest first" }).waitFor();
  await page.close();
}, 60_000);
