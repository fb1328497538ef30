import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Site, startSite } from "../browser/support/site.ts";

const program = join(import.meta.dirname, "node_modules/.bin/lighthouse");
const run = promisify(execFile);
const minScore = 95;
/** The most that a first visit may load. */
const maxBytes = 250_000;

type Report = {
  categories: Record<"performance" | "accessibility" | "best-practices" | "seo", { score: number }>;
  audits: Record<string, { id: string; score: number | null; numericValue?: number }>;
};

let site: Site;
let cookie: string;
let chromium: string;

beforeAll(async () => {
  chromium = execFileSync(join(import.meta.dirname, "../../.ci/chromium"), { encoding: "utf8" });
  site = await startSite();
  const session = await site.service.signIn();
  await site.service.callAs(session, { method: "POST", url: "/dashboard/api/keys/first" });
  cookie = session.cookie;
});

afterAll(() => site.stop());

async function getReport(path: string, device: readonly string[]): Promise<Report> {
  const options = [
    ...device,
    "--quiet",
    "--output=json",
    "--only-categories=performance,accessibility,best-practices,seo",
    "--chrome-flags=--headless --no-sandbox",
    `--extra-headers=${JSON.stringify({ cookie })}`,
  ];
  const { stdout } = await run(program, [site.service.url + path, ...options], {
    env: { ...process.env, CHROME_PATH: chromium.trim() },
    maxBuffer: 50_000_000,
  });
  return JSON.parse(stdout);
}

/** The default of Lighthouse. */
const phone: readonly string[] = [];
const desktop = ["--preset=desktop"];

test.each([
  ["the landing page on a phone", "/", phone],
  ["the documentation on a phone", "/docs", phone],
  ["the playground on a phone", "/dashboard/playground", phone],
  ["the playground on a desktop", "/dashboard/playground", desktop],
])(
  "%s scores at least 95 except in performance, and loads at most 250 kB",
  async (name, path, device) => {
    const { categories, audits } = await getReport(path, device);
    const { performance, ...stable } = categories;
    const bytes = audits["total-byte-weight"]?.numericValue;
    // Performance depends on what else the machine does.
    console.info(`${name}: performance ${Math.round(100 * performance.score)}, ${bytes} bytes`);
    const imperfect = Object.values(audits).filter(({ score }) => score !== null && score < 1);
    for (const [category, { score }] of Object.entries(stable)) {
      const reason = `${category}: ${imperfect.map(({ id }) => id).join(", ")}`;
      expect(100 * score, reason).toBeGreaterThanOrEqual(minScore);
    }
    expect(bytes).toBeLessThanOrEqual(maxBytes);
  },
);
