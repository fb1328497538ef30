import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { search } from "../support/service-under-test.ts";
import { startChromium } from "./support/chromium.ts";
import { type Site, startSite } from "./support/site.ts";
import { violationsOf } from "./support/violations.ts";
import { looks, openWatched, show, watchRequests } from "./support/watched-page.ts";

let browser: Browser;
let site: Site;
let operator: BrowserContext;
let stranger: BrowserContext;

beforeAll(async () => {
  browser = await startChromium();
  site = await startSite();
  stranger = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  operator = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  const session = await site.service.signIn({ role: "operator" });
  const [name = "", value = ""] = session.cookie.split("=");
  await operator.addCookies([
    { name, value, url: site.url, httpOnly: true, secure: true, sameSite: "Lax" },
  ]);
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

const pages = [
  { name: "landing", path: "/", heading: "One search API over the public conversation" },
  { name: "sign-in", path: "/dashboard/sign-in", heading: "Sign in" },
  { name: "playground", path: "/dashboard/playground?q=harbour", heading: "Playground" },
  { name: "jobs", path: "/dashboard/jobs", heading: "Jobs" },
  { name: "keys", path: "/dashboard/keys", heading: "Keys" },
  { name: "usage", path: "/dashboard/usage", heading: "Usage" },
  { name: "credentials", path: "/dashboard/credentials", heading: "Credentials" },
  { name: "status", path: "/dashboard/status", heading: "Status" },
  { name: "account", path: "/dashboard/account", heading: "Account" },
  { name: "accounts", path: "/dashboard/accounts", heading: "Accounts" },
  { name: "audit", path: "/dashboard/audit", heading: "Audit log" },
] as const;

describe.each(pages)("$name", ({ name, path, heading }) => {
  test.each(looks)(
    "at $width pixels, $scheme: nobody is kept out, nothing is wider than the screen, nothing complains",
    async (look) => {
      const isPublic = name === "landing" || name === "sign-in";
      const { page, complaints, settled } = await openWatched(isPublic ? stranger : operator);
      await show(page, look);
      await page.goto(site.url + path);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await settled();
      await page.screenshot({
        path: join(site.screenshots, `${name}-${look.width}-${look.scheme}.png`),
        fullPage: true,
      });
      const sideways = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(sideways).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );
});

const mostBytes = 250_000;

test.each(["/", "/dashboard/playground"])(
  "a first visit of %s loads at most 250 kB",
  async (path) => {
    const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
    await context.addCookies(await operator.cookies(site.url));
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    let bytes = 0;
    devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const settled = watchRequests(page);
    await page.goto(site.url + path);
    await settled();
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(mostBytes);
    await context.close();
  },
);
