import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChromium } from "./support/chromium.ts";
import { countLoadedBytes } from "./support/loaded-bytes.ts";
import { type Site, startSite } from "./support/site.ts";
import { findViolations } from "./support/violations.ts";
import { applyLook, looks, openWatchedPage, watchRequests } from "./support/watched-page.ts";

let browser: Browser;
let site: Site;
let visitor: BrowserContext;

beforeAll(async () => {
  browser = await startChromium();
  site = await startSite();
  visitor = await newContext();
});

afterAll(async () => {
  await browser.close();
  await site.stop();
});

const newContext = () =>
  browser.newContext({
    locale: "en-US",
    ignoreHTTPSErrors: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });

const pages = [
  ["docs", "/docs", "Earshot"],
  ["docs-quickstart", "/docs/quickstart", "Quickstart"],
  ["docs-api", "/docs/api", "The API"],
  ["docs-reference", "/docs/reference", "API reference"],
  ["docs-reference-webhooks", "/docs/reference/webhooks", "Webhooks"],
  ["docs-error", "/docs/errors/invalid_query", "Invalid query"],
  ["docs-not-found", "/docs/nowhere", "Page not found"],
] as const;

describe.each(pages)("%s", (name, path, heading) => {
  test.each(looks)(
    "the page at $width pixels, $scheme, passes axe, fits the screen and logs nothing",
    async (look) => {
      const { page, complaints, waitUntilIdle } = await openWatchedPage(visitor);
      await applyLook(page, look);
      await page.goto(site.url + path);
      await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
      await waitUntilIdle();
      await page.screenshot({
        path: join(site.screenshots, `${name}-${look.width}-${look.scheme}.png`),
      });
      const horizontalOverflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(horizontalOverflow).toBe(0);
      expect(await findViolations(page)).toEqual([]);
      const isMissing = (complaint: string) =>
        name === "docs-not-found" && complaint.includes("404");
      expect(complaints.filter((complaint) => !isMissing(complaint))).toEqual([]);
      await page.close();
    },
  );
});

test("the search that Ctrl K opens finds a page, with only the keyboard", async () => {
  const { page, complaints, waitUntilIdle } = await openWatchedPage(visitor);
  await page.goto(`${site.url}/docs`);
  await waitUntilIdle();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("webhook secret");
  await page.getByRole("option").first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.screenshot({ path: join(site.screenshots, "docs-search.png") });
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/reference\/webhooks#/);
  expect(complaints).toEqual([]);
  await page.close();
});

test("the tabs of code samples keep the selected language, and samples are copied with the service's address", async () => {
  const { page, waitUntilIdle } = await openWatchedPage(visitor);
  await page.goto(`${site.url}/docs/quickstart`);
  await waitUntilIdle();
  await page.getByRole("tab", { name: "Python" }).click();
  await page.reload();
  await waitUntilIdle();
  const sample = page.getByRole("tabpanel", { name: "Python" });
  await sample.hover();
  await sample.getByRole("button", { name: "Copy" }).click();
  const clipboardText = await page.evaluate(() => navigator.clipboard.readText());
  expect(clipboardText).toContain(`Earshot(url="${site.url}"`);
  expect(await page.getByRole("tabpanel", { name: "curl" }).count()).toBe(0);
  await page.close();
});

test("the code samples name the key of the signed-in caller", async () => {
  const context = await newContext();
  const session = await site.service.signIn({ role: "operator" });
  const [name = "", value = ""] = session.cookie.split("=");
  await context.addCookies([{ name, value, url: site.url, httpOnly: true, secure: true }]);
  await site.service.callAs(session, { method: "POST", url: "/dashboard/api/keys/first" });
  const page = await context.newPage();
  await page.goto(`${site.url}/docs/quickstart`);
  const note = page.locator(".sample-key").first();
  await note.waitFor();
  expect(await note.textContent()).toMatch(/^Your key: .+ \(ear_/);
  await context.close();
});

test("the table of contents is collapsed on a phone, and the menu opens", async () => {
  const { page, waitUntilIdle } = await openWatchedPage(visitor);
  await applyLook(page, { width: 390, scheme: "light" });
  await page.goto(`${site.url}/docs/api`);
  await waitUntilIdle();
  const entry = page.getByRole("navigation", { name: "On this page" }).getByRole("link").first();
  expect(await entry.isVisible()).toBe(false);
  await page.getByText("On this page").click();
  await entry.waitFor();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: "Query language", exact: true }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.screenshot({ path: join(site.screenshots, "docs-menu.png") });
  await page.close();
});

test("a first visit of the documentation loads at most 250 kB", async () => {
  const context = await newContext();
  const page = await context.newPage();
  const bytesLoaded = await countLoadedBytes(context, page);
  const waitUntilIdle = watchRequests(page);
  await page.goto(`${site.url}/docs/api`);
  await waitUntilIdle();
  expect(bytesLoaded()).toBeGreaterThan(10_000);
  expect(bytesLoaded()).toBeLessThan(250_000);
  await context.close();
});
