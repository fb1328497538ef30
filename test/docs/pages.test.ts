import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSite } from "../../src/http/docs-site/html/write-site.ts";
import { makeNavigation } from "../../src/http/docs-site/navigation.ts";
import type { OpenApi } from "../../src/http/docs-site/open-api.ts";
import { addressIn, readPageTree } from "../../src/http/docs-site/page-tree.ts";
import { builtName } from "../../src/http/docs-site/served-pages.ts";
import { problems } from "../../src/http/problems/problems.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.remove());

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function get(url: string, headers: Record<string, string> = browser) {
  return await service.call(null, { method: "GET", url, headers });
}

const root = join(import.meta.dirname, "../..");
const api: OpenApi = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
const tree = await readPageTree(api);
const paths = [...tree.keys()].map((path) => `/docs${path}`);
const pages = paths.filter((path) => !path.endsWith(".svg"));
/** The current docs in the template of the last build. */
const site = await makeSite(readFileSync(join(root, "dist/web/docs.html"), "utf8"));
const findHtml = (path: string): string => site.get(builtName(path.slice("/docs".length))) ?? "";

/** HTML tags without an end tag. */
const voidTags = new Set(["meta", "br", "img", "input", "link", "path", "circle", "!doctype"]);

/** Fails unless all tags are balanced. */
function expectWellFormed(html: string): void {
  const open: string[] = [];
  const bare = html.replaceAll(/<!--[\s\S]*?-->/g, "");
  for (const [, end, name = ""] of bare.matchAll(/<(\/?)([!a-z][a-z0-9]*)[^<>]*>/gi)) {
    if (voidTags.has(name)) continue;
    if (end === "") open.push(name);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
}

const getIds = (path: string) => matches(findHtml(path), / id="([^"]+)"/g);

const matches = (html: string, pattern: RegExp) =>
  [...html.matchAll(pattern)].map(([, found = ""]) => found);

describe("the pages as HTML", () => {
  test.each(pages)(
    "the HTML of %s is well formed, and has neither inline scripts nor inline styles",
    (path) => {
      const html = findHtml(path);
      expectWellFormed(html);
      const ids = matches(html, / id="([^"]+)"/g);
      expect(new Set(ids).size).toBe(ids.length);
      expect(html).toContain('<a class="skip" href="#text">');
      expect(matches(html, /<(h1|main) /g).sort()).toEqual(["h1", "main"]);
      for (const nav of matches(html, /<nav([^>]*)>/g)) expect(nav).toContain("aria-label=");
      expect(matches(html, /<table><(caption)/g)).toHaveLength(matches(html, /<(table)>/g).length);
      expect(html).not.toMatch(/<(iframe|object|form|style)|\son\w+=|style=|\{\{/i);
      for (const script of matches(html, /<script([^>]*)>/g)) expect(script).toMatch(/ src="\//);
      for (const source of matches(html, /<img src="([^"]+)"/g)) expect(paths).toContain(source);
    },
  );

  test.each(pages)("the links in the HTML of %s lead to existing pages and headings", (path) => {
    for (const link of matches(findHtml(path), /href="([^"]+)"/g)) {
      if (/^https?:|^\/(?:dashboard(?:\/|$)|openapi\.json$|$)/.test(link)) continue;
      const [page = "", anchor] = link.split("#");
      if (page.endsWith(".md")) continue;
      const linked = page === "" ? path : page;
      expect(paths, `${path} links to ${link}`).toContain(linked);
      if (anchor !== undefined) {
        expect(getIds(linked), `${path} links to ${link}`).toContain(decodeURI(anchor));
      }
    }
  });

  test("each page is in the navigation, or in a list linked from it", () => {
    const listed = makeNavigation(api).flatMap(({ entries }) => entries.map(({ path }) => path));
    expect(listed.filter((path) => !tree.has(path))).toEqual([]);
    const unlisted = [...tree.keys()].filter(
      (path) =>
        !path.endsWith(".svg") && !listed.includes(path) && !/^\/(?:errors|decisions)\//.test(path),
    );
    expect(unlisted).toEqual([]);
    for (const path of listed) expect(findHtml(`/docs${path}`)).toContain(' aria-current="page"');
  });
});

describe("the API reference", () => {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
  );

  test("the API reference lists every endpoint with a sample, and every schema", async () => {
    const index = (await get("/docs/reference", {})).body;
    for (const { method, path, operationId, tags } of operations) {
      const heading = `${method.toUpperCase()} ${path}`;
      expect(index).toContain(`[\`${heading}\`](/docs/reference/${tags[0]}#`);
      const { body } = await get(`/docs/reference/${tags[0]}`, {});
      const chapter = body.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0];
      expect(chapter, heading).toContain(`\`${operationId}\``);
      expect(chapter, heading).toMatch(/```\w+(?: \[curl\])?\ncurl -s/);
    }
    const { body } = await get("/docs/reference/schemas", {});
    for (const name of Object.keys(api.components.schemas))
      expect(body).toContain(`\n## ${name}\n`);
  });

  test("every curl sample of the API reference can be pasted into a shell", async () => {
    for (const { name } of api.tags) {
      const { body } = await get(`/docs/reference/${name}`, {});
      for (const call of matches(body, /```\w+(?: \[curl\])?\n(curl[\s\S]*?)\n```/g)) {
        const words = call.replaceAll("'\\''", "").replaceAll(/'[^']*'|"[^"]*"/g, "");
        expect(words, call).not.toMatch(/['"{}]/);
      }
    }
  });
});

describe("other addresses of a page", () => {
  test.each([
    ["/docs/", 308, "/docs"],
    ["/docs/errors/", 308, "/docs/errors"],
  ])("the address %s redirects with %i to %s", async (path, status, address) => {
    const response = await get(path);
    expect(response.statusCode).toBe(status);
    expect(response.headers.location).toBe(address);
  });

  test.each([
    ["/docs/README.md", "/docs"],
    ["/docs/api.md", "/docs/api"],
    ["/docs/errors/README.md", "/docs/errors"],
    ["/docs/errors/invalid_query.md", "/docs/errors/invalid_query"],
    ["/docs/reference/webhooks.md", "/docs/reference/webhooks"],
  ])("the address %s is the Markdown of %s, even for browsers", async (path, page) => {
    const response = await get(path);
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("text/markdown; charset=utf-8");
    expect(response.body).toBe((await get(page, {})).body);
  });

  test.each([
    "/docs/nothing.md",
    "/docs/api.md.md",
    "/docs/%2F%2Fother.example.md",
    "/docs/errors/nothing.md",
  ])("the address %s of a missing page returns 404", async (path) => {
    const response = await get(path);
    expect(response.statusCode).toBe(404);
    expect(response.headers).not.toHaveProperty("location");
  });
});

describe("the representations of a page", () => {
  test("a page is HTML for a browser, compressed if it accepts that, with the dashboard's content security policy", async () => {
    const plain = await get("/docs/api");
    expect(plain.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(plain.headers["content-security-policy"]).toBe(
      (await get("/dashboard")).headers["content-security-policy"],
    );
    const packed = await get("/docs/api", { ...browser, "accept-encoding": "gzip, br" });
    expect(packed.headers["content-encoding"]).toBe("br");
    expect(packed.headers.vary).toBe("Accept, Accept-Encoding");
    expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(plain.body);
    const withoutBrotli = { ...browser, "accept-encoding": "br;q=0, gzip;q=0.5" };
    expect((await get("/docs/api", withoutBrotli)).headers["content-encoding"]).toBe("gzip");
  });

  test("the search index of the documentation is JSON that names more than 80 pages", async () => {
    const { storedFields } = (await get("/docs/search.json")).json();
    const titles = new Set(Object.values<{ page: string }>(storedFields).map(({ page }) => page));
    expect(titles.size).toBeGreaterThan(80);
  });

  test("llms.txt links to more than 30 pages, all of which exist", async () => {
    const { body, headers } = await get("/llms.txt");
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    const links = matches(body, /\]\((\/docs[^)]*)\)/g);
    expect(links.length).toBeGreaterThan(30);
    for (const link of links) expect((await get(link)).statusCode, link).toBe(200);
  });

  test("a page is Markdown for a client that does not prefer HTML", async () => {
    for (const headers of [{}, { accept: "*/*" }, { accept: "text/markdown" }]) {
      const response = await get("/docs/errors/invalid_query", headers);
      expect(response.headers["content-type"]).toBe("text/markdown; charset=utf-8");
      expect(response.headers.vary).toBe("Accept, Accept-Encoding");
      expect(response.body).toMatch(/^# Invalid query\n/);
      expect(response.body).toContain("](/docs/query-language#errors-and-warnings)");
    }
  });

  test("a cached page returns 304, and each representation has its own ETag", async () => {
    const html = await get("/docs/api");
    const text = await get("/docs/api", {});
    expect(html.headers.etag).not.toBe(text.headers.etag);
    const conditional = { ...browser, "if-none-match": `"other", W/${html.headers.etag}` };
    const notModified = await get("/docs/api", conditional);
    expect(notModified.statusCode).toBe(304);
    expect(notModified.body).toBe("");
    expect(notModified.headers.etag).toBe(html.headers.etag);
    expect((await get("/docs/api", { "if-none-match": `${html.headers.etag}` })).statusCode).toBe(
      200,
    );
  });

  test("HEAD returns 200 without a body, and a picture is sent as SVG", async () => {
    const head = await service.call(null, { method: "HEAD", url: "/docs", headers: browser });
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe("");
    const picture = await get("/docs/performance-scale.svg");
    expect(picture.headers["content-type"]).toBe("image/svg+xml; charset=utf-8");
  });
});

test("every problem has a page with its title", async () => {
  for (const [code, { title }] of Object.entries(problems)) {
    const response = await get(`/docs/errors/${code}`);
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain(title.replaceAll("'", "&#39;"));
  }
});

test.each([
  "/docs/../package.json",
  "/docs/../../etc/passwd",
  "/docs/..%2f..%2fpackage.json",
  "/docs/%2e%2e/package.json",
  "/docs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "/docs/errors/..%2fapi",
  "/docs/errors/%2e%2e%2f%2e%2e%2fpackage",
  "/docs/errors/%00",
  "/docs/errors/README",
  "/docs/__proto__",
  "/docs/errors/constructor",
  `/docs/${"a".repeat(5_000)}`,
  "/docs/errors/Invalid_Query",
])("the address %.60s is answered with a 404 problem", async (url) => {
  const response = await get(url, { accept: "*/*" });
  expect(response.statusCode).toBe(404);
  expect(response.headers["content-type"]).toContain("application/problem+json");
  expect(response.json()).toMatchObject({ code: "not_found" });
});

test("documentation pages do not count against the rate limit of a key", async () => {
  const key = await service.makeKey({ requestsPerSecond: 1 });
  for (let count = 0; count < 5; count++) {
    const response = await service.call(key, { method: "GET", url: "/docs" });
    expect(response.statusCode).toBe(200);
    expect(response.headers.ratelimit).toBeUndefined();
  }
});

test("files outside docs/ have no address", async () => {
  const addressOf = addressIn(tree, "decisions/README.md");
  expect(addressOf("../../ARCHITECTURE.md")).toBeNull();
});
