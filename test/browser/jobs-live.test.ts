import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";
import { stubUpstream } from "../../testkit/upstreams/stub-upstream.ts";
import { startChromium } from "./support/chromium.ts";
import { openWatchedPage } from "./support/watched-page.ts";

let browser: Browser;
let service: ServiceUnderTest;
let session: TestSession;
/** Releases the platform's pending response. */
let releaseAnswer: () => void;

beforeAll(async () => {
  const x = stubUpstream("x", { gettweets: [] });
  const page = x.page;
  x.page = async (call, platformSession) => {
    await new Promise<void>((resolve) => {
      releaseAnswer = resolve;
    });
    return await page(call, platformSession);
  };
  browser = await startChromium();
  // A script filters and reloads faster than a person.
  service = await startServiceUnderTest(
    { EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "100" },
    { upstreams: { x } },
  );
  session = await service.signIn();
});

afterAll(async () => {
  await browser.close();
  await service.remove();
});

const submit = (query: string) =>
  service.callAs(session, {
    method: "POST",
    url: "/v1/search/live/x",
    payload: { type: "social", arguments: { type: "gettweets", query } },
  });

async function openJobs(): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ locale: "en-US" });
  const [name = "", value = ""] = session.cookie.split("=");
  await context.addCookies([{ name, value, url: service.url }]);
  const watchedPage = await openWatchedPage(context);
  await watchedPage.page.goto(`${service.url}/dashboard/jobs`);
  await watchedPage.page.getByText("This list is live").waitFor();
  return watchedPage;
}

const row = (page: Page, query: string) => page.getByRole("row").filter({ hasText: query });
const jobsLink = (page: Page) => page.getByRole("link", { name: /^Jobs/ });

test("jobs appear and end on the page without a reload, and the sidebar counts those in progress", async () => {
  const { page, complaints } = await openJobs();
  await submit("@ann");
  await row(page, "@ann").getByText("in progress").waitFor();
  expect(await jobsLink(page).innerText()).toMatch(/1\s+running/);

  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const jobDetails = page.locator("section", { hasText: "Received, saved to disk" });
  await jobDetails.getByText("Searching").waitFor();

  releaseAnswer();
  await row(page, "@ann").getByText("done").waitFor();
  await jobDetails.getByText("Nothing found").waitFor();
  expect(await jobsLink(page).innerText()).toBe("Jobs");
  expect(complaints).toEqual([]);
  await page.close();
});

test("a cancelled job is shown as cancelled", async () => {
  const { page, complaints } = await openJobs();
  await submit("@bob");
  await page.getByRole("button", { name: "Cancel @bob" }).click();
  await row(page, "@bob").getByText("cancelled").waitFor();
  expect(await row(page, "@bob").getByRole("button", { name: "Run again: @bob" }).count()).toBe(1);
  expect(complaints).toEqual([]);
  await page.close();
});

test("jobs can be filtered by query, platform and method, even after a reload", async () => {
  const { page, complaints } = await openJobs();
  for (const [platform, type, query] of [
    ["social", "searchbyquery", "Harbour tide"],
    ["social", "searchbyfullarchive", "harbour gates"],
    ["bluesky", "searchbyquery", "harbour surge"],
  ]) {
    await service.callAs(session, {
      method: "POST",
      url: `/v1/search/live/${platform}`,
      payload: { type: "social", arguments: { type, query } },
    });
  }
  const rows = page.locator("tbody tr");
  const waitForRows = (count: number) =>
    page.waitForFunction(
      (expected) => document.querySelectorAll("tbody tr").length === expected,
      count,
    );
  await page.getByRole("searchbox", { name: "Query contains" }).fill("HARBOUR");
  await waitForRows(3);
  await page.getByRole("combobox", { name: "Platform" }).selectOption("All platforms at once");
  await waitForRows(2);
  await page.getByRole("combobox", { name: "Method" }).selectOption("searchbyfullarchive");
  await waitForRows(1);
  await page.reload();
  await waitForRows(1);
  expect(await rows.innerText()).toContain("harbour gates");
  expect(await rows.innerText()).toContain("Dashboard");
  await page.getByRole("searchbox", { name: "Query contains" }).fill("harbour surge");
  await page.getByText("No matching jobs").waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

test("a list that is not live shows that, and is live again when the user retries", async () => {
  const { page } = await openJobs();
  let tries = 0;
  await page.route("**/events", (route) => {
    tries += 1;
    return route.abort();
  });
  await page.reload();
  await page.getByText("Live updates stopped").waitFor();
  // The page waits longer after each try; at first it could succeed by itself before the click.
  await expect.poll(() => tries, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  await page.unroute("**/events");
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByText("This list is live").waitFor();
  expect(await page.getByText("Live updates stopped").count()).toBe(0);
  await page.close();
});
