import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EarshotError } from "../../src/lib/errors.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";
import {
  type JetstreamServer,
  startJetstreamServer,
} from "../../testkit/upstreams/jetstream-server.ts";
import { stubUpstream } from "../../testkit/upstreams/stub-upstream.ts";
import { startChromium } from "./support/chromium.ts";
import { findViolations } from "./support/violations.ts";
import { applyLook, looks, openWatchedPage } from "./support/watched-page.ts";

const perMinute = 14;
const pageSize = 10;

let browser: Browser;
let jetstream: JetstreamServer;
let service: ServiceUnderTest;
let session: TestSession;
let context: BrowserContext;

beforeAll(async () => {
  [browser, jetstream] = await Promise.all([startChromium(), startJetstreamServer()]);
  const x = stubUpstream("x", {
    gettweets: new EarshotError("upstream_failed", "x.example returned 400", {
      status: 502,
      hint: "submit the search again later",
    }),
  });
  service = await startServiceUnderTest(
    {
      EARSHOT_INGEST: "bluesky",
      EARSHOT_JETSTREAM_URLS: jetstream.url,
      EARSHOT_SUBMISSIONS_PER_MINUTE: String(perMinute),
    },
    { upstreams: { x } },
  );
  session = await service.signIn();
  context = await browser.newContext({ locale: "en-US" });
  const [name = "", value = ""] = session.cookie.split("=");
  await context.addCookies([{ name, value, url: service.url }]);
});

afterAll(async () => {
  await browser.close();
  await service.remove();
  await jetstream.close();
});

const submit = (path: string, payload: object) =>
  service.callAs(session, { method: "POST", url: `/v1/search/live/${path}`, payload });

test("a connected stream is shown in the sidebar and on the status page", async () => {
  const { page, complaints } = await openWatchedPage(context);
  await page.goto(`${service.url}/dashboard/status`);
  await page.getByRole("link", { name: /^Listening/ }).waitFor();
  await page.getByText("Listening to Bluesky").waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test("a failed job shows the reason and its cost, and can be run again", async () => {
  const { page, complaints } = await openWatchedPage(context);
  const submission = await submit("x", {
    type: "social",
    arguments: { type: "gettweets", query: "@ann" },
  });
  await page.goto(`${service.url}/dashboard/jobs/${submission.json<{ uuid: string }>().uuid}`);
  const job = page.locator(".opened");
  await job.getByText("Failed: x.example returned 400").waitFor();
  await job.getByText("A failed job counts against the searches per minute").waitFor();
  expect(await job.getByRole("button", { name: "Run again: @ann" }).count()).toBe(1);
  expect(await job.getByRole("heading", { name: "Proof" }).count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test("a job opened from a long list is visible immediately, and above the list on a phone", async () => {
  for (let n = 0; n < pageSize; n += 1) await submit("social", search(`harbour ${n}`));
  for (const look of looks) {
    const { page, waitUntilIdle } = await openWatchedPage(context);
    await applyLook(page, look);
    await page.goto(`${service.url}/dashboard/jobs`);
    await page.getByText("This list is live").waitFor();
    await page.getByRole("link", { name: "harbour 0", exact: true }).click();
    await page.locator(".opened").waitFor();
    await waitUntilIdle();
    const position = await page.locator(".opened").evaluate((job) => ({
      top: job.getBoundingClientRect().top,
      isBeforeList: job.nextElementSibling?.querySelector(".jobs") != null,
    }));
    expect([look.width, position.isBeforeList]).toEqual([look.width, look.width < 1_024]);
    expect(position.top).toBeGreaterThanOrEqual(0);
    expect(position.top).toBeLessThan(600);
    await page.close();
  }
});

test("a search above the limit shows that it will be sent automatically, and can be cancelled", async () => {
  const { page } = await openWatchedPage(context);
  for (let n = 0; n < perMinute; n += 1) await submit("social", search("harbour"));
  await page.goto(`${service.url}/dashboard/playground?q=harbour`);
  await page.getByRole("textbox", { name: "Query" }).press("Enter");
  await page.getByText(`Limit reached: ${perMinute} searches per minute`).waitFor();
  await page.getByText("Your search will be sent automatically").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Cancel search" }).click();
  await page.getByText("Limit reached:").waitFor({ state: "detached" });
  await page.close();
});
