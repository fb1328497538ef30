import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { search } from "../../testkit/service/service-under-test.ts";
import { startChromium } from "./support/chromium.ts";
import { countLoadedBytes } from "./support/loaded-bytes.ts";
import { type Site, startSite } from "./support/site.ts";
import { findViolations } from "./support/violations.ts";
import { applyLook, looks, openWatchedPage, watchRequests } from "./support/watched-page.ts";

let browser: Browser;
let site: Site;
let operator: BrowserContext;
let outsider: BrowserContext;

beforeAll(async () => {
  browser = await startChromium();
  site = await startSite({ EARSHOT_SUBMISSIONS_PER_MINUTE: "1000" });
  outsider = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  operator = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  const session = await site.service.signIn({ role: "operator" });
  const [name = "", value = ""] = session.cookie.split("=");
  await operator.addCookies([
    { name, value, url: site.url, httpOnly: true, secure: true, sameSite: "Lax" },
  ]);
  const key = await site.service.callAs(session, {
    method: "POST",
    url: "/dashboard/api/keys/first",
  });
  await site.service.submit(key.json().token, search("harbour"));
  await site.service.submit(key.json().token, search("from:"));
  for (const query of ["harbour", "surge lang:en", "nothing-like-this"]) {
    await site.service.callAs(session, {
      method: "POST",
      url: "/v1/search/social",
      payload: search(query),
    });
  }
});

afterAll(async () => {
  await browser.close();
  await site.stop();
});

type PageCase = {
  name: string;
  path: string;
  heading: string;
  /** Runs before the screenshot. */
  prepare?: (page: Page) => Promise<void>;
};

const pages: readonly PageCase[] = [
  { name: "landing", path: "/", heading: "One search API over the public conversation" },
  { name: "public-status", path: "/status", heading: "Status" },
  { name: "sign-in", path: "/dashboard/sign-in", heading: "Sign in" },
  { name: "playground", path: "/dashboard/playground?q=harbour", heading: "Playground" },
  {
    name: "playground-answered",
    path: "/dashboard/playground?q=harbour",
    heading: "Playground",
    prepare: async (page) => {
      await page.getByRole("textbox", { name: "Query" }).press("Enter");
      await page.locator(".posts .post").first().waitFor();
    },
  },
  {
    name: "playground-refused",
    path: "/dashboard/playground",
    heading: "Playground",
    prepare: async (page) => {
      await page.getByRole("textbox", { name: "Query" }).fill("harbour since:2026-02-30");
      await page.locator(".diagnostic").waitFor();
    },
  },
  { name: "jobs", path: "/dashboard/jobs", heading: "Jobs" },
  {
    name: "job",
    path: "/dashboard/jobs",
    heading: "Jobs",
    prepare: async (page) => {
      await page.locator("tbody a").first().click();
      await page.locator("tr[aria-current]").waitFor();
    },
  },
  { name: "keys", path: "/dashboard/keys", heading: "Keys" },
  {
    name: "key-requests",
    path: "/dashboard/keys",
    heading: "Keys",
    prepare: async (page) => {
      await page.locator("td a.name").first().click();
      await page.getByRole("heading", { name: /^Requests from/ }).waitFor();
    },
  },
  {
    name: "key-dialog",
    path: "/dashboard/keys",
    heading: "Keys",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "usage", path: "/dashboard/usage", heading: "Usage" },
  {
    name: "webhooks",
    path: "/dashboard/webhooks",
    heading: "Webhooks",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Create webhook" }).click();
      await page.getByRole("textbox", { name: "URL" }).fill("https://example.com/earshot");
      await page.getByRole("dialog").getByRole("button", { name: "Create webhook" }).click();
      await page
        .getByRole("link", { name: /^Deliveries to/ })
        .first()
        .click();
      await page.getByText("No deliveries yet").waitFor();
    },
  },
  { name: "credentials", path: "/dashboard/credentials", heading: "Credentials" },
  { name: "status", path: "/dashboard/status", heading: "Status" },
  { name: "account", path: "/dashboard/account", heading: "Account" },
  {
    name: "account-spending",
    path: "/dashboard/account",
    heading: "Account",
    prepare: async (page) => {
      const deployment = { post_reads: 9_340, most_post_reads: 10_000 };
      const shared = { post_reads: 40, user_reads: 2, usd: 0.22 };
      const own = { post_reads: 120, user_reads: 3, usd: 0.63 };
      await page.route("**/dashboard/api/spending", (route) =>
        route.fulfill({ json: { month: "2026-11", own, shared, deployment } }),
      );
      await page.reload();
      await page.getByRole("img", { name: "9,340 of 10,000 posts read (93 %)" }).waitFor();
      await page.getByText("$0.22 for 40 posts").waitFor();
      await page.getByText("$0.63 for 120 posts").waitFor();
    },
  },
  {
    name: "account-dialog",
    path: "/dashboard/account",
    heading: "Account",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Delete account" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "accounts", path: "/dashboard/accounts", heading: "Accounts" },
  { name: "activity-keys", path: "/dashboard/activity", heading: "Activity" },
  { name: "activity-jobs", path: "/dashboard/activity/jobs", heading: "Activity" },
  { name: "activity-usage", path: "/dashboard/activity/usage", heading: "Activity" },
  { name: "nodes", path: "/dashboard/nodes", heading: "Nodes" },
  { name: "audit", path: "/dashboard/audit", heading: "Audit log" },
  {
    name: "audit-filtered",
    path: "/dashboard/audit?action=account_suspended&actor=service&from=2026-01-01",
    heading: "Audit log",
    prepare: (page) => page.getByText("No entry matches these filters.").waitFor(),
  },
  { name: "nowhere", path: "/dashboard/nowhere", heading: "Page not found" },
];

describe.each(pages)("$name", ({ name, path, heading, prepare }) => {
  test.each(looks)(
    "the page at $width pixels, $scheme, is accessible, fits the screen and logs no error",
    async (look) => {
      const isPublic = ["landing", "public-status", "sign-in"].includes(name);
      const { page, complaints, waitUntilIdle } = await openWatchedPage(
        isPublic ? outsider : operator,
      );
      await applyLook(page, look);
      await page.goto(site.url + path);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await waitUntilIdle();
      await prepare?.(page);
      await waitUntilIdle();
      await page.screenshot({
        path: join(site.screenshots, `${name}-${look.width}-${look.scheme}.png`),
        fullPage: true,
      });
      const horizontalOverflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(horizontalOverflow).toBe(0);
      expect(await findViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );
});

const maxBytes = 250_000;

test.each(["/", "/dashboard/playground"])(
  "a first visit of %s loads at most 250 kB",
  async (path) => {
    const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
    await context.addCookies(await operator.cookies(site.url));
    const page = await context.newPage();
    const bytesLoaded = await countLoadedBytes(context, page);
    const waitUntilIdle = watchRequests(page);
    await page.goto(site.url + path);
    await waitUntilIdle();
    expect(bytesLoaded()).toBeGreaterThan(10_000);
    expect(bytesLoaded()).toBeLessThan(maxBytes);
    await context.close();
  },
);
