import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { search } from "../../testkit/service/service-under-test.ts";
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

test("the requests of a key can be opened by keyboard, and show the reason for a rejected one", async () => {
  const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  const session = await site.service.signIn();
  const [name = "", value = ""] = session.cookie.split("=");
  await context.addCookies([
    { name, value, url: site.url, httpOnly: true, secure: true, sameSite: "Lax" },
  ]);
  const keyResponse = await site.service.callAs(session, {
    method: "POST",
    url: "/dashboard/api/keys",
    payload: { name: "laptop" },
  });
  const { page, complaints } = await openWatchedPage(context);
  await page.goto(`${site.url}/dashboard/keys`);
  await page.getByRole("link", { name: "laptop" }).focus();
  await page.keyboard.press("Enter");
  const heading = page.getByRole("heading", { name: "Requests from laptop" });
  await heading.waitFor();
  expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByText("No requests yet.").waitFor();

  await site.service.submit(keyResponse.json().token, search("from:"));
  await page.reload();
  const row = page.getByRole("table", { name: "Requests from laptop" }).locator("tbody tr");
  await row.first().waitFor();
  expect(await row.count()).toBe(1);
  expect(await row.innerText()).toMatch(/POST \/v1\/search\/live\/:platform\s+400\s+invalid_query/);

  await page.getByRole("link", { name: "Close" }).click();
  await expect.poll(() => heading.count()).toBe(0);
  await page.route("**/requests", (route) => route.abort());
  await page.getByRole("link", { name: "laptop" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  expect(complaints.filter((complaint) => !complaint.includes("ERR_FAILED"))).toEqual([]);
  await context.close();
}, 60_000);
