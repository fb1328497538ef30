import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChromium } from "./support/chromium.ts";
import { type Site, startSite } from "./support/site.ts";
import { openWatchedPage } from "./support/watched-page.ts";

let browser: Browser;
let site: Site;

beforeAll(async () => {
  browser = await startChromium();
  site = await startSite();
});

afterAll(async () => {
  await browser.close();
  await site.stop();
});

test("a user gets from the landing page to a first answer, and a revoked key is rejected", async () => {
  const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { page, complaints } = await openWatchedPage(context);
  const picture = (name: string) =>
    page.screenshot({ path: join(site.screenshots, `journey-${name}.png`), fullPage: true });

  await page.goto(site.url);
  await picture("1-landing");
  await page.getByRole("link", { name: "Sign in with GitHub" }).first().click();
  await page.getByRole("button", { name: "Approve" }).click();

  const secret = page.locator(".secret code");
  await secret.waitFor();
  const key = (await secret.innerText()).trim();
  expect(key).toMatch(/^ear_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
  expect(page.url()).not.toContain(key);
  await picture("2-key");
  const searchOnce = () =>
    fetch(`${site.service.url}/v1/search/social`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        type: "social",
        arguments: { type: "searchbyquery", query: "harbour" },
      }),
    });
  expect((await searchOnce()).status).toBe(200);

  const cookies = await context.cookies(site.url);
  expect(cookies.find(({ name }) => name === "__Host-earshot")).toMatchObject({
    httpOnly: true,
    secure: true,
    sameSite: "Lax",
    path: "/",
  });

  await page.getByRole("link", { name: "Playground" }).first().click();
  await page.getByRole("textbox", { name: "Query" }).fill('"storm surge" harbour');
  await page.keyboard.press("Control+Enter");
  await page.locator(".posts .post").first().waitFor();
  expect(await page.locator(".posts .post").count()).toBe(20);
  expect(await page.locator(".post mark").first().innerText()).toMatch(/storm surge|harbour/i);
  await page.locator(".plot svg").first().waitFor();
  await picture("3-answer");

  await page.getByRole("link", { name: "Keys" }).click();
  await page
    .getByRole("button", { name: /^Revoke/ })
    .first()
    .click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Revoke/ })
    .click();
  await expect.poll(async () => (await searchOnce()).status).toBe(401);
  await picture("4-revoked");

  // Ignores complaints about the code host's page.
  expect(complaints.filter((complaint) => !complaint.includes(site.github.url))).toEqual([]);
  await context.close();
}, 60_000);
