import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const built = join(import.meta.dirname, "../../dist/web");
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.remove());

const get = (url: string, headers: Record<string, string> = browser) =>
  service.call(null, { method: "GET", url, headers });

const readPage = (name: string): string => readFileSync(join(built, name), "utf8");

test("the root is the landing page for browsers, and redirects other clients to the documentation", async () => {
  const page = await get("/");
  expect(page.statusCode).toBe(200);
  expect(page.body).toBe(readPage("index.html"));
  expect(String(page.headers.vary).toLowerCase()).toContain("accept,");
  const other = await get("/", { accept: "*/*" });
  expect(other.statusCode).toBe(302);
  expect(other.headers.location).toBe("/docs");
});

test.each(["/dashboard", "/dashboard/", "/dashboard/keys/first", "/dashboard/jobs/0f8fad5b"])(
  "the address %s returns the single page of the dashboard, revalidated each time",
  async (path) => {
    const page = await get(path);
    expect(page.statusCode).toBe(200);
    expect(page.body).toBe(readPage("app.html"));
    expect(page.headers["cache-control"]).toBe("no-cache");
  },
);

test("a page links to the files that only it loads, so that browsers load them with the app", async () => {
  const { headers, body } = await get("/dashboard/jobs/0f8fad5b");
  const files = String(headers.link)
    .split(", ")
    .map((link) => link.slice(1, link.indexOf(">")));
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    expect(body).not.toContain(file);
    expect((await get(file)).statusCode, file).toBe(200);
  }
  for (const path of ["/dashboard", "/dashboard/sign-in", "/dashboard/unknown"])
    expect((await get(path)).headers.link).toBeUndefined();
});

describe.each(["/", "/dashboard/keys"])("%s", (path) => {
  test("a dashboard page loads nothing from other hosts, and cannot be framed", async () => {
    const { headers, body } = await get(path);
    const policy = String(headers["content-security-policy"]);
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(body).not.toMatch(/ (?:src|href)="(?:https?:)?\/\//);
    expect(body).not.toMatch(/ style="|<style|<script(?![^>]* src=)| on\w+="/);
  });
});

test("a file with a hash in its name is cacheable forever, and sent compressed to clients that accept it", async () => {
  const name = readdirSync(join(built, "assets")).find((file) => /^app-.*\.js$/.test(file));
  const plain = await get(`/dashboard/assets/${name}`, {});
  expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(plain.headers["content-type"]).toMatch(/javascript/);
  const packed = await get(`/dashboard/assets/${name}`, { "accept-encoding": "br" });
  expect(packed.headers["content-encoding"]).toBe("br");
  expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
});

test.each([
  "/dashboard/assets/nothing.js",
  "/dashboard/assets/..%2fapp.html",
  "/dashboard/assets/..%2f..%2fpackage.json",
  "/dashboard/assets/.hidden",
  "/dashboard/assets/%00",
  "/dashboard/api/nothing",
  "/dashboard/api/",
])("the address %s returns 404", async (path) => {
  const response = await get(path);
  expect(response.statusCode).toBe(404);
  expect(response.json().code).toBe("not_found");
  expect(String(response.headers["cache-control"])).not.toContain("max-age");
});

test("no url() in the HTML and CSS of the build refers to another host", () => {
  const files = readdirSync(built, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => /\.(html|css)$/.test(name))) {
    expect(readPage(file), file).not.toMatch(/url\(\s*["']?(?:https?:)?\/\//);
  }
});

describe("an address that does not exist", () => {
  test.each(["/nowhere", "/docs/nowhere", "/docs/errors/nowhere"])(
    "the unknown address %s is a page with links back for a browser, and a problem for a program",
    async (path) => {
      const page = await get(path);
      expect(page.statusCode).toBe(404);
      expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(page.body).toContain('<a href="/dashboard">Dashboard</a>');
      expect(page.headers["content-security-policy"]).toContain("default-src 'self'");
      const other = await get(path, { accept: "*/*" });
      expect(other.statusCode).toBe(404);
      expect(other.json()).toMatchObject({ code: "not_found" });
    },
  );

  test.each(["/v1/nowhere", "/api/nowhere", "/dashboard/api/nowhere", "/dashboard/assets/a.js"])(
    "the unknown address %s returns a problem even to a browser",
    async (path) => {
      const { statusCode, headers } = await get(path);
      expect(statusCode).toBeGreaterThanOrEqual(400);
      expect(headers["content-type"]).toContain("application/problem+json");
    },
  );
});
