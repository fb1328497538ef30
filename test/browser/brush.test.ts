import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { startChromium } from "./support/chromium.ts";
import { openWatched } from "./support/watched-page.ts";

let browser: Browser;
let service: ServiceUnderTest;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  browser = await startChromium();
  service = await startServiceUnderTest();
  const session = await service.signIn();
  await service.callAs(session, {
    method: "POST",
    url: "/v1/search/social",
    payload: search("harbour"),
  });
  // The page reads the usage once.
  await service.context.http.usage.flush();
  const context = await browser.newContext({ locale: "en-US" });
  const [name = "", value = ""] = session.cookie.split("=");
  await context.addCookies([{ name, value, url: service.url }]);
  ({ page, complaints } = await openWatched(context));
  await page.goto(`${service.url}/dashboard/usage`);
});

afterAll(async () => {
  await browser.close();
  await service.remove();
});

const requests = (text: RegExp) => page.getByRole("img", { name: text });
const returned = async () => {
  await page.getByRole("button", { name: "Whole range" }).first().click();
  await requests(/^Requests over 7 days: 1 in total/).waitFor();
};

test("dragging over a plot shows that part of the time", async () => {
  await requests(/^Requests over 7 days: 1 in total/).waitFor();
  const area = await page.locator(".u-over").first().boundingBox();
  if (area === null) throw new Error("the plot is not drawn");
  await page.mouse.move(area.x + area.width * 0.2, area.y + 20);
  await page.mouse.down();
  await page.mouse.move(area.x + area.width * 0.6, area.y + 20, { steps: 3 });
  await page.mouse.up();
  await requests(/^Requests over the selected time: 0 in total/).waitFor();
  await returned();
  expect(
    await page.getByRole("heading", { name: "Usage" }).evaluate((head) => head.matches(":focus")),
  ).toBe(true);
});

test("the arrow keys, Shift and Enter show a part of the time", async () => {
  const slider = page.getByRole("slider", { name: "Select a time" }).first();
  await slider.focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Enter");
  await requests(/^Requests over the selected time: 1 in total/).waitFor();
  expect(await slider.getAttribute("max")).toBe("2");
  await returned();
  expect(complaints).toEqual([]);
});
