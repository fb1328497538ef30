import { createServer, type Server } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { startChromium } from "./support/chromium.ts";

/** A page of another origin that calls the API with a key. */
let browser: Browser;
let pages: Server;
let origin: string;
let allowingService: ServiceUnderTest;
let blockingService: ServiceUnderTest;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  pages = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>app</title>");
  }).listen(port, "127.0.0.1");
  [browser, allowingService, blockingService] = await Promise.all([
    startChromium(),
    startServiceUnderTest({ EARSHOT_CORS_ORIGINS: origin }),
    startServiceUnderTest({ EARSHOT_CORS_ORIGINS: "https://other.example" }),
  ]);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([allowingService.remove(), blockingService.remove()]);
  pages.close();
});

/** The response as a script of the page sees it. */
async function searchFromPage(service: ServiceUnderTest) {
  const page = await browser.newPage();
  await page.goto(origin);
  const key = await service.makeKey();
  return await page.evaluate(
    async ({ url, token, body }) => {
      try {
        const response = await fetch(`${url}/v1/search/social`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            "idempotency-key": "once",
          },
          body,
        });
        const { status, headers } = response;
        return { status, coverage: headers.get("x-coverage"), rates: headers.get("ratelimit") };
      } catch {
        return "refused by the browser";
      }
    },
    { url: service.url, token: key, body: JSON.stringify(search("comet")) },
  );
}

test("a script of a listed origin can search and read the header fields", async () => {
  expect(await searchFromPage(allowingService)).toEqual({
    status: 200,
    coverage: expect.stringContaining("complete"),
    rates: expect.stringContaining("burst"),
  });
});

test("the browser blocks a script of any other origin", async () => {
  expect(await searchFromPage(blockingService)).toBe("refused by the browser");
});
