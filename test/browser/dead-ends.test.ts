import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";
import { startChromium } from "./support/chromium.ts";
import { findViolations } from "./support/violations.ts";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startServiceUnderTest()]);
});

afterAll(async () => {
  await browser.close();
  await service.remove();
});

async function putCookie(context: BrowserContext, { cookie }: TestSession): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: service.url }]);
}

async function openPlayground(): Promise<{
  context: BrowserContext;
  page: Page;
  session: TestSession;
}> {
  const session = await service.signIn();
  const context = await browser.newContext({ locale: "en-US" });
  await putCookie(context, session);
  const page = await context.newPage();
  await page.goto(`${service.url}/dashboard/playground`);
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  return { context, page, session };
}

test("a page whose files were renamed by an update shows a notice and reloads", async () => {
  const { context, page } = await openPlayground();
  const files = "**/dashboard/assets/*.js";
  const start = `${service.url}/dashboard`;
  await page.route(files, (route) => route.fulfill({ status: 404 }));
  await page.route(start, (route) =>
    route.fulfill({ contentType: "text/html", body: '<script type="module" src="/new.js">' }),
  );
  // The page stays until its check has ended.
  const versionCheck = Promise.withResolvers<void>();
  await page.route(`${service.url}/dashboard/jobs`, async (route) => {
    await versionCheck.promise;
    await route.continue();
  });
  await page.getByRole("link", { name: "Jobs" }).click();
  await page.getByRole("heading", { name: "A new version is ready" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.unroute(files);
  await page.unroute(start);
  versionCheck.resolve();
  await page.getByRole("heading", { name: "Jobs", exact: true }).waitFor();
  await context.close();
});

test("a page that was not loaded reports that the browser is offline, and opens when the connection is back", async () => {
  const { context, page } = await openPlayground();
  await context.setOffline(true);
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByText("you are offline").waitFor();
  await page.getByRole("link", { name: "Playground" }).click();
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByText("you are offline").waitFor();
  await context.setOffline(false);
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  await context.close();
});

test("a page whose files stay missing does not reload repeatedly", async () => {
  const { context, page } = await openPlayground();
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  await page.route("**/dashboard/assets/*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByText("the dashboard installation is incomplete").waitFor();
  expect(loads).toBe(0);
  await context.close();
});

test("the page reports that a session has ended, and keeps the query", async () => {
  const { context, page, session } = await openPlayground();
  const query = "aurora -from:halden_demo";
  const field = page.locator("textarea").first();
  await field.fill(query);
  await service.callAs(session, { method: "POST", url: "/dashboard/api/sign-out" });
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(new URL(page.url()).searchParams.get("q")).toBe(query);
  await putCookie(context, await service.signIn());
  await page.reload();
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  expect(await field.inputValue()).toBe(query);
  await context.close();
});

test("a page for an unknown address links back to the dashboard", async () => {
  const page = await browser.newPage();
  await page.goto(`${service.url}/nowhere`);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "Start page" }).click();
  expect(new URL(page.url()).pathname).toBe("/");
  await page.close();
});
