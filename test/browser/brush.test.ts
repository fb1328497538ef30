import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { startChromium } from "./support/chromium.ts";
import { openWatchedPage } from "./support/watched-page.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let browser: Browser;
let service: ServiceUnderTest;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  browser = await startChromium();
  service = await startServiceUnderTest();
  const session = await service.signIn();
  // Six hours are missing in the middle of the week.
  const nowMs = service.clock.now();
  const stream = {
    platform: "bluesky",
    collection: "posts",
    account: null,
    source: "jetstream",
  } as const;
  const post = makePost({ text: "harbour", createdMs: nowMs - dayMs, seenMs: nowMs - dayMs });
  await service.context.archive.write({
    changes: [{ kind: "upsert", post }],
    coverage: [
      { ...stream, fromMs: nowMs - 8 * dayMs, toMs: nowMs - 3.5 * dayMs },
      { ...stream, fromMs: nowMs - 3.25 * dayMs, toMs: nowMs + hourMs },
    ],
  });
  const samples = [
    { platform: "bluesky", bucketMs: nowMs - dayMs, lagMs: 2_000, posts: 1 },
  ] as const;
  await service.context.store.write("addIngestSamples", { samples });
  await service.callAs(session, {
    method: "POST",
    url: "/v1/search/social",
    payload: search("harbour"),
  });
  await service.context.http.usage.flush();
  const context = await browser.newContext({ locale: "en-US" });
  const [name = "", value = ""] = session.cookie.split("=");
  await context.addCookies([{ name, value, url: service.url }]);
  ({ page, complaints } = await openWatchedPage(context));
});

afterAll(async () => {
  await browser.close();
  await service.remove();
});

const image = (text: RegExp) => page.getByRole("img", { name: text });
const reset = () => page.getByRole("button", { name: "Whole range" }).first().click();
const isFocused = (heading: string) =>
  page.getByRole("heading", { name: heading }).evaluate((head) => head.matches(":focus"));

async function drag(plot: string, from: number, to: number): Promise<void> {
  const drawn = page.locator(plot).first();
  await drawn.scrollIntoViewIfNeeded();
  const area = await drawn.boundingBox();
  if (area === null) throw new Error("the plot is not drawn");
  await page.mouse.move(area.x + area.width * from, area.y + 20);
  await page.mouse.down();
  await page.mouse.move(area.x + area.width * to, area.y + 20, { steps: 3 });
  await page.mouse.up();
}

async function selectLastSteps(): Promise<Locator> {
  const slider = page.getByRole("slider", { name: "Select a time range" }).first();
  await slider.focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Enter");
  return slider;
}

describe("the Usage page", () => {
  const resetRange = async () => {
    await reset();
    await image(/^Requests over 7 days: [1-9]/).waitFor();
  };

  beforeAll(async () => {
    await page.goto(`${service.url}/dashboard/usage`);
    await image(/^Requests over 7 days: [1-9]/).waitFor();
  });

  test("dragging over a plot on the Usage page zooms to that time", async () => {
    await drag(".u-over", 0.2, 0.6);
    await image(/^Requests over the selected time: 0 in total/).waitFor();
    await resetRange();
    expect(await isFocused("Usage")).toBe(true);
  });

  test("the arrow keys, Shift and Enter zoom to a time on the Usage page", async () => {
    const slider = await selectLastSteps();
    await image(/^Requests over the selected time: [1-9]/).waitFor();
    expect(await slider.getAttribute("max")).toBe("2");
    await resetRange();
    expect(complaints).toEqual([]);
  });
});

describe("the Status page", () => {
  const resetRange = async () => {
    await reset();
    await image(/^Bluesky: 1 gap in 7 days/).waitFor();
  };

  beforeAll(async () => {
    await page.goto(`${service.url}/dashboard/status`);
    await image(/^Bluesky: 1 gap in 7 days/).waitFor();
  });

  test("dragging over the coverage on the Status page zooms to that time, repeatedly", async () => {
    await drag(".trace svg", 0.4, 0.6);
    await image(/^Bluesky: 1 gap in the selected time/).waitFor();
    await image(/^Ingest lag over the selected time: Bluesky none reported/).waitFor();
    await drag(".trace svg", 0.8, 0.95);
    await image(/^Bluesky: no gaps in the selected time/).waitFor();
    await resetRange();
    expect(await isFocused("Status")).toBe(true);
  });

  test("dragging over the lag on the Status page zooms to that time", async () => {
    await drag(".plot svg", 0.8, 0.9);
    await image(/^Ingest lag over the selected time: Bluesky median 2 s/).waitFor();
    await image(/^Bluesky: no gaps in the selected time/).waitFor();
    await resetRange();
  });

  test("the arrow keys, Shift and Enter zoom to a time on the Status page", async () => {
    await selectLastSteps();
    await image(/^Bluesky: no gaps in the selected time/).waitFor();
    await resetRange();
    expect(complaints).toEqual([]);
  });
});

describe("the job page", () => {
  const resetRange = async () => {
    await reset();
    await image(/^Bluesky: 1 gap, 6 h/).waitFor();
  };

  beforeAll(async () => {
    await page.goto(`${service.url}/dashboard/jobs`);
    await page.locator("tbody a").first().click();
    await image(/^Bluesky: 1 gap, 6 h/).waitFor();
  });

  test("dragging over the coverage of a job zooms to that time", async () => {
    await drag(".trace svg", 0.7, 0.9);
    await image(/^Bluesky: no gaps in the selected time/).waitFor();
    await resetRange();
    expect(await isFocused("Coverage")).toBe(true);
  });

  test("the arrow keys, Shift and Enter zoom to a time on the job page", async () => {
    await selectLastSteps();
    await image(/^Bluesky: no gaps in the selected time/).waitFor();
    await resetRange();
    expect(complaints).toEqual([]);
  });
});
