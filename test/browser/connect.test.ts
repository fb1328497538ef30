import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClientMetadataHost, startClientMetadataHost } from "../../testkit/mcp/oauth-app.ts";
import { startChromium } from "./support/chromium.ts";
import { type Site, startSite } from "./support/site.ts";
import { findViolations } from "./support/violations.ts";
import { applyLook, looks, openWatchedPage } from "./support/watched-page.ts";

let browser: Browser;
let app: ClientMetadataHost;
let site: Site;

beforeAll(async () => {
  browser = await startChromium();
  app = await startClientMetadataHost();
  site = await startSite({ EARSHOT_APP_PRIVATE_HOSTS: app.origin });
});

afterAll(async () => {
  await browser.close();
  await site.stop();
  await app.stop();
});

const verifier = "v".repeat(43);
// The app's own server, as its callback.
const makeCallback = () => `${app.origin}/callback`;

const consentUrl = (overrides: Readonly<Record<string, string>> = {}): string =>
  `${site.url}/dashboard/connect?${new URLSearchParams({
    response_type: "code",
    client_id: app.clientId,
    redirect_uri: makeCallback(),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    scope: "searchbyquery searchbyfullarchive gettrends",
    state: "a state with spaces & signs",
    resource: `${site.url}/mcp`,
    ...overrides,
  })}`;

const waitForCallback = async (page: Page): Promise<URLSearchParams> => {
  await page.waitForURL(`${makeCallback()}?*`);
  return new URL(page.url()).searchParams;
};

const send = (path: string, init: RequestInit) => fetch(`${site.service.url}${path}`, init);

const exchange = (code: string) =>
  send("/oauth/token", {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: app.clientId,
      redirect_uri: makeCallback(),
      code,
      code_verifier: verifier,
    }),
  });

const ping = (token: string) =>
  send("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });

test("an app is connected by signing in and consenting, and disconnected on the Keys page", async () => {
  app.publish("/client.json", {
    client_id: app.clientId,
    client_name: "Reader",
    redirect_uris: [makeCallback(), "http://127.0.0.1/callback"],
  });
  app.publish("/callback", "<title>Reader</title>");
  const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  const { page, complaints, waitUntilIdle } = await openWatchedPage(context);
  const picture = (name: string) =>
    page.screenshot({ path: join(site.screenshots, `connect-${name}.png`), fullPage: true });

  // Signed out, the user goes to the code host and back to the request.
  await page.goto(consentUrl());
  await page.getByRole("link", { name: "Sign in with GitHub" }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Connect Reader?" }).waitFor();
  expect(await page.locator(".facts").innerText()).toContain(new URL(app.origin).host);
  for (const look of looks) {
    await applyLook(page, look);
    await waitUntilIdle();
    expect(await findViolations(page)).toEqual([]);
    await picture(`consent-${look.width}-${look.scheme}`);
  }

  await page.getByRole("checkbox", { name: "List trends" }).uncheck();
  await page.getByRole("button", { name: "Connect" }).click();
  const answer = await waitForCallback(page);
  expect(answer.get("state")).toBe("a state with spaces & signs");
  expect(answer.get("iss")).toBe(site.url);
  const tokens = await (await exchange(answer.get("code") ?? "")).json();
  expect(tokens.scope).toBe("searchbyquery searchbyfullarchive");
  expect((await ping(tokens.access_token)).status).toBe(200);

  await page.goto(`${site.url}/dashboard/keys`);
  await page.getByRole("heading", { name: "Connected apps" }).waitFor();
  await waitUntilIdle();
  expect(await findViolations(page)).toEqual([]);
  await picture("keys");
  await page.getByRole("button", { name: "Disconnect Reader" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("heading", { name: "Connected apps" }).waitFor({ state: "detached" });
  expect((await ping(tokens.access_token)).status).toBe(401);

  await page.goto(`${site.url}/dashboard/account`);
  await page.getByText("Disconnected app").waitFor();

  // A refusal by the user and an invalid request by the app are returned to the app as errors.
  await page.goto(consentUrl());
  await page.getByRole("button", { name: "Cancel" }).click();
  expect((await waitForCallback(page)).get("error")).toBe("access_denied");
  await page.goto(consentUrl({ code_challenge_method: "plain" }));
  await page.getByRole("link", { name: "Return to" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await picture("refused");
  await page.getByRole("link", { name: "Return to" }).click();
  expect((await waitForCallback(page)).get("error")).toBe("invalid_request");

  // The page warns about a program on the same computer.
  await page.goto(consentUrl({ redirect_uri: "http://127.0.0.1:8765/callback" }));
  await page.getByText("Any program on this computer").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await picture("loopback");
  const ownComplaints = complaints.filter((complaint) => complaint.includes(site.url));
  expect(ownComplaints).toEqual([]);

  // A redirect URI that the app does not list is never followed.
  await page.goto(consentUrl({ redirect_uri: "https://evil.example/callback" }));
  await page.getByText("redirect_uri is not listed").waitFor();
  expect(await page.getByRole("link", { name: "Return to" }).count()).toBe(0);
  await context.close();
}, 120_000);
