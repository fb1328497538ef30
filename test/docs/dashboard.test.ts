import { readFile } from "node:fs/promises";
import fastify from "fastify";
import { expect, test } from "vitest";
import { auditActions } from "../../src/accounts/audit.ts";
import { refusalCodes } from "../../src/accounts/sign-in/refusal.ts";
import type { HttpContext } from "../../src/http/context.ts";
import type { PendingRequests } from "../../src/http/long-poll/pending-requests.ts";
import { addRoutes } from "../../src/http/routes/index.ts";
import type { Submissions } from "../../src/http/submission/submission.ts";

const page = await readFile(new URL("../../docs/dashboard.md", import.meta.url), "utf8");

function section(title: string): string {
  const [, after = ""] = page.split(`\n## ${title}\n`);
  return after.split("\n## ")[0] ?? "";
}

/** The first two cells of each table row. */
const listRows = (title: string): [string, string][] =>
  [...section(title).matchAll(/^\| `([^`]+)` \| (\S+)[^\n]*\|$/gm)].map(
    ([, first = "", second = ""]) => [first, second],
  );

/** An object whose properties are all such objects. */
function placeholder<T>(): T {
  const absent: unknown = new Proxy({}, { get: () => absent });
  return absent as T;
}

/** Routes of the dashboard API with their audience. */
function dashboardRoutes(): [string, string][] {
  const routes: [string, string][] = [];
  const app = fastify();
  app.addHook("onRoute", ({ method, url, config }) => {
    if (method === "HEAD" || !/^\/(?:dashboard\/api|auth)\//.test(url)) return;
    routes.push([`${method} ${url}`, config?.access ?? "visitor"]);
  });
  addRoutes(
    app,
    placeholder<HttpContext>(),
    placeholder<PendingRequests>(),
    placeholder<Submissions>(),
  );
  return routes;
}

test("docs/dashboard.md lists every request of the dashboard, and who may send it", () => {
  expect(listRows("The dashboard's own API").sort()).toEqual(dashboardRoutes().sort());
});

test("docs/dashboard.md lists every action of the audit log", () => {
  expect(listRows("The audit log").map(([action]) => action)).toEqual([...auditActions]);
});

test("docs/dashboard.md lists every reason for a rejected sign-in", () => {
  for (const word of refusalCodes)
    expect(section("The dashboard's own API")).toContain(`\`${word}\``);
});
