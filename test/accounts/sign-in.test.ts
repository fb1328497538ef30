import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type GitHubEmulator, startGitHubEmulator } from "../../testkit/emulators/github/server.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { createTestBrowser, type TestBrowser } from "../../testkit/service/test-browser.ts";

let provider: GitHubEmulator;
let service: ServiceUnderTest;
let secure: ServiceUnderTest;
const logged: string[] = [];

beforeAll(async () => {
  provider = await startGitHubEmulator();
  const log = pino({ level: "trace" }, { write: (line: string) => logged.push(line) });
  [service, secure] = await Promise.all([
    startServiceUnderTest(
      {
        ...makeSettings(provider),
        EARSHOT_SIGN_INS_PER_MINUTE: "1000000",
        EARSHOT_OPERATORS: "github:583231",
      },
      { log },
    ),
    startServiceUnderTest({
      ...makeSettings(provider),
      EARSHOT_PUBLIC_URL: "https://earshot.test",
      EARSHOT_SIGN_INS_PER_MINUTE: "2",
    }),
  ]);
});
afterEach(() => {
  for (const error of Object.keys(provider.faults)) Reflect.deleteProperty(provider.faults, error);
});
afterAll(async () => {
  await Promise.all([service.remove(), secure.remove()]);
  await provider.stop();
});

function makeSettings({ url, clientId, clientSecret }: GitHubEmulator) {
  return {
    EARSHOT_GITHUB_URL: url,
    EARSHOT_GITHUB_CLIENT_ID: clientId,
    EARSHOT_GITHUB_CLIENT_SECRET: clientSecret,
    EARSHOT_GITLAB_URL: url,
    EARSHOT_GITLAB_CLIENT_ID: clientId,
    EARSHOT_GITLAB_CLIENT_SECRET: clientSecret,
  };
}

async function begin(browser: TestBrowser, path = "/auth/github"): Promise<string> {
  const { statusCode, headers } = await browser.visit(path);
  expect(statusCode).toBe(303);
  return String(headers.location);
}

async function finishSignIn(browser: TestBrowser, callback: string): Promise<string> {
  const { pathname, search } = new URL(callback);
  const response = await browser.visit(`${pathname}${search}`, { "sec-fetch-site": "cross-site" });
  expect(response.statusCode).toBe(303);
  return String(response.headers.location);
}

async function signIn(
  browser: TestBrowser,
  login: string | null = "ben",
  path = "/auth/github",
): Promise<string> {
  const location = await begin(browser, path);
  return await finishSignIn(browser, provider.decide(location, login));
}

const refusal = (word: string): string => `/dashboard/sign-in?error=${word}`;

async function auditActions(): Promise<string[]> {
  const { entries } = await operatorAudit();
  return entries.map(({ action }) => action);
}

async function operatorAudit(): Promise<{
  entries: { action: string; detail: Record<string, unknown> }[];
}> {
  const operator = await service.signIn({ role: "operator" });
  const response = await service.callAs(operator, { url: "/dashboard/api/operator/audit" });
  return response.json();
}

test("a user signs up with GitHub and the page shows the account", async () => {
  const browser = createTestBrowser(service);
  expect(await signIn(browser, "ben", "/auth/github?return=/dashboard/keys?new=1")).toBe(
    "/dashboard/keys?new=1",
  );
  expect(await browser.session()).toMatchObject({
    signed_in: {
      account: { name: "ben", role: "member", provider: "github" },
      first_key_due: true,
      limits: { requests_per_second: 20, submissions_per_minute: 10 },
    },
    providers: [
      { name: "github", label: "GitHub" },
      { name: "gitlab", label: "GitLab" },
    ],
    base_url: "http://earshot.test",
  });
  expect((await browser.visit("/v1/search/live/jobs")).statusCode).toBe(200);
});

test("an account whose user ID is in EARSHOT_OPERATORS becomes an operator at sign-in", async () => {
  const browser = createTestBrowser(service);
  await signIn(browser, "ann");
  expect((await browser.session()).signed_in.account.role).toBe("operator");
});

test("cancelling a sign-in at the provider leads to a message and is counted in a metric", async () => {
  const before = await signInsCounted("denied");
  expect(await signIn(createTestBrowser(service), null)).toBe(refusal("denied"));
  expect(await signInsCounted("denied")).toBe(before + 1);
  expect(await auditActions()).not.toContain("sign_in_refused");
});

async function signInsCounted(outcome: string): Promise<number> {
  const text = await service.context.http.metrics.text();
  const line = new RegExp(`^earshot_sign_ins_total\\{outcome="${outcome}"\\} (\\d+)$`, "m");
  return Number(line.exec(text)?.[1] ?? 0);
}

test.each([
  ["an image", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
  ["a frame", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
  ["a script's request", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
])(
  "%s on another site cannot start a sign-in and does not use the rate limit",
  async (_what, fields) => {
    secure.clock.move(60_000);
    const browser = createTestBrowser(secure, "https://earshot.test");
    for (let turn = 0; turn < 5; turn += 1) {
      const headers = { "sec-fetch-site": "cross-site", ...fields };
      for (const path of ["/auth/github", "/auth/github/callback"]) {
        const response = await browser.visit(path, headers);
        expect(response.statusCode).toBe(403);
        expect(response.json().code).toBe("forbidden_origin");
      }
    }
    await begin(browser);
  },
);

test("a sign-in link is still checked after an address has used up its limit of provider sign-ins", async () => {
  secure.clock.move(60_000);
  const browser = createTestBrowser(secure, "https://earshot.test");
  await begin(browser);
  await begin(browser);
  const payload = { token: "A".repeat(43) };
  const response = await browser.send("POST", "/dashboard/api/sign-in", { payload });
  expect(response.json().code).toBe("sign_in_link_invalid");
});

test("a request without a key gets a hint about where to sign in", async () => {
  const url = "/v1/search/live/social/jobs";
  const hinted = (await secure.call(null, { method: "GET", url })).json();
  expect(hinted.hint).toContain("sign in at https://earshot.test/dashboard to get a key");
  expect(hinted.hint).not.toContain("earshot keys");
});

test("responses have an HSTS header if the public URL is https", async () => {
  const field = "strict-transport-security";
  const page = { url: "/dashboard", headers: { host: "earshot.test" } };
  expect((await secure.app.inject(page)).headers[field]).toBe("max-age=31536000");
  expect((await service.app.inject(page)).headers[field]).toBeUndefined();
});

test("the log contains no sign-in secrets", async () => {
  const browser = createTestBrowser(service);
  const location = await begin(browser);
  const secret = browser.cookies.get("earshot-sign-in");
  const callback = provider.decide(location, "ben");
  const { clientSecret, faults } = provider;
  faults.token = {
    status: 200,
    body: { error: "incorrect_client_credentials", error_description: clientSecret },
  };
  expect(await finishSignIn(browser, callback)).toBe(refusal("provider_failed"));
  faults.token = { status: 200, body: `{"access_token": "${clientSecret}` };
  expect(await signIn(browser)).toBe(refusal("provider_failed"));
  delete faults.token;
  expect(await signIn(browser)).toBe("/dashboard");
  const log = logged.join("");
  expect(log).toContain("incorrect_client_credentials");
  const { searchParams } = new URL(callback);
  const secrets = [clientSecret, secret, searchParams.get("code"), searchParams.get("state")];
  for (const other of secrets) expect(log).not.toContain(other);
  for (const value of browser.cookies.values()) expect(log).not.toContain(value.split(".").at(-1));
});

test("a sign-in state can be used only once, even with the cookie of the same browser", async () => {
  const browser = createTestBrowser(service);
  const location = await begin(browser);
  const secret = browser.cookies.get("earshot-sign-in") ?? "";
  const callback = provider.decide(location, "ben");
  expect(await finishSignIn(browser, callback)).toBe("/dashboard");
  expect(browser.cookies.has("earshot-sign-in")).toBe(false);
  browser.cookies.set("earshot-sign-in", secret);
  const again = provider.decide(location, "ben");
  expect(await finishSignIn(browser, again)).toBe(refusal("expired"));
});

test("a sign-in started in another browser cannot be finished here", async () => {
  const [theirs, mine] = [createTestBrowser(service), createTestBrowser(service)];
  const callback = provider.decide(await begin(theirs), "ben");
  expect(await finishSignIn(mine, callback)).toBe(refusal("expired"));
  await begin(mine);
  expect(await finishSignIn(mine, callback)).toBe(refusal("expired"));
  expect((await mine.session()).signed_in).toBeNull();
});

test.each(["", "wrong", "x".repeat(43), "ä".repeat(43)])(
  "the sign-in state %j is rejected",
  async (state) => {
    const browser = createTestBrowser(service);
    const callback = new URL(provider.decide(await begin(browser), "ben"));
    callback.searchParams.set("state", state);
    expect(await finishSignIn(browser, callback.href)).toBe(refusal("expired"));
  },
);

test("a callback of one provider does not finish a sign-in with another", async () => {
  const browser = createTestBrowser(service);
  const callback = new URL(provider.decide(await begin(browser), "ben"));
  callback.pathname = "/auth/gitlab/callback";
  expect(await finishSignIn(browser, callback.href)).toBe(refusal("expired"));
});

test.each(["//evil.example", "https://evil.example/dashboard", "/dashboard/%2f%2fevil", "/docs"])(
  "after a sign-in, the return target %j is replaced by the dashboard",
  async (target) => {
    const browser = createTestBrowser(service);
    const path = `/auth/github?return=${encodeURIComponent(target)}`;
    expect(await signIn(browser, "ben", path)).toBe("/dashboard");
  },
);

test("signing in ends the browser's former session, which prevents session fixation", async () => {
  const planted = await service.signIn();
  const browser = createTestBrowser(service);
  const [name = "", value = ""] = planted.cookie.split("=");
  browser.cookies.set(name, value);
  await signIn(browser, "ben");
  expect(browser.cookies.get(name)).not.toBe(value);
  const response = await service.callAs(planted, { url: "/v1/search/live/jobs" });
  expect(response.statusCode).toBe(401);
});

test("a suspended account cannot sign in", async () => {
  const browser = createTestBrowser(service);
  await signIn(browser, "ben");
  const { id } = (await browser.session()).signed_in.account;
  const operator = await service.signIn({ role: "operator" });
  await service.callAs(operator, {
    method: "PATCH",
    url: `/dashboard/api/operator/accounts/${id}`,
    payload: { suspended: true, suspended_reason: "a test" },
  });
  expect((await browser.visit("/v1/search/live/jobs")).json()).toMatchObject({
    code: "session_needed",
  });
  expect(await signIn(browser, "ben")).toBe(refusal("suspended"));
  await service.callAs(operator, {
    method: "PATCH",
    url: `/dashboard/api/operator/accounts/${id}`,
    payload: { suspended: false },
  });
  expect(await signIn(browser, "ben")).toBe("/dashboard");
});

test("cookies are Secure and bound to the host if the public URL is https", async () => {
  secure.clock.move(60_000);
  const browser = createTestBrowser(secure, "https://earshot.test");
  const location = await begin(browser);
  expect(browser.setCookies).toEqual([
    expect.stringMatching(
      /^__Host-earshot-sign-in=[\w-]{100,}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);
  expect(new URL(location).searchParams.get("redirect_uri")).toBe(
    "https://earshot.test/auth/github/callback",
  );
  expect(await finishSignIn(browser, provider.decide(location, "ben"))).toBe("/dashboard");
  expect(browser.setCookies).toContainEqual(
    expect.stringMatching(
      /^__Host-earshot=\w{22}\.1\.-{8}\.[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ),
  );
  expect((await browser.session()).base_url).toBe("https://earshot.test");
  expect((await browser.send("POST", "/dashboard/api/sign-out")).statusCode).toBe(204);
});

test("sign-in attempts are limited per address and minute", async () => {
  secure.clock.move(60_000);
  const browser = createTestBrowser(secure, "https://earshot.test");
  await begin(browser);
  await begin(browser);
  const { statusCode, headers } = await browser.visit("/auth/github");
  expect(statusCode).toBe(429);
  expect(headers["retry-after"]).toBe("60");
  const page = await browser.visit("/auth/github", { accept: "text/html,*/*;q=0.8" });
  expect([page.statusCode, page.headers.location]).toEqual([303, refusal("too_many")]);
  secure.clock.move(60_000);
  await begin(browser);
});

test("signing in is recorded in the audit log", async () => {
  await signIn(createTestBrowser(service), "ben");
  expect(await auditActions()).toContain("signed_in");
});
