import type { BrowserContext } from "playwright-core";
import { startChromium } from "../test/browser/support/chromium.ts";
import { countLoadedBytes } from "../test/browser/support/loaded-bytes.ts";
import { startSite } from "../test/browser/support/site.ts";
import { watchRequests } from "../test/browser/support/watched-page.ts";
import { command, summary, table } from "./measure.ts";

/**
 * Waiting times of a dashboard user in Chromium: first paint of a first visit, compared with a bare
 * page; from Enter to the painted answer in the playground. Also the bytes of a first visit.
 */
const visits = 9;
const answers = 20;

const browser = await startChromium();
const site = await startSite({ EARSHOT_SUBMISSIONS_PER_MINUTE: "1000" });
const session = await site.service.signIn();
const [name = "", value = ""] = session.cookie.split("=");

async function newVisitor(): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  await context.addCookies([{ name, value, url: site.url, secure: true, httpOnly: true }]);
  return context;
}

async function visit(path: string): Promise<{ paintMs: number; bytes: number }> {
  const context = await newVisitor();
  const page = await context.newPage();
  const bytesLoaded = await countLoadedBytes(context, page);
  const settled = watchRequests(page);
  await page.goto(site.url + path);
  await settled();
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  );
  const bytes = bytesLoaded();
  await context.close();
  return { paintMs, bytes };
}

async function measureAnswers(): Promise<number[]> {
  const context = await newVisitor();
  const page = await context.newPage();
  const settled = watchRequests(page);
  await page.goto(`${site.url}/dashboard/playground`);
  const query = page.getByRole("textbox", { name: "Query" });
  const durations: number[] = [];
  for (let round = 0; round < answers; round += 1) {
    // Each query finds different posts from the previous one.
    const word = ["surge", "gauge", "barrier", "sandbags"][round % 4] ?? "surge";
    await query.fill(`${word} -round${round}`);
    // The page measures from the key press to the frame after the new posts appear.
    const paintMs = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const newest = () => document.querySelector(".post-text")?.textContent ?? null;
          const before = newest();
          const start = () => {
            const startMs = performance.now();
            const checkFrame = () => {
              if (newest() === before) requestAnimationFrame(checkFrame);
              else requestAnimationFrame(() => resolve(performance.now() - startMs));
            };
            checkFrame();
          };
          addEventListener("keydown", start, { once: true, capture: true });
        }),
    );
    await query.press("Control+Enter");
    durations.push(await paintMs);
    await settled();
  }
  await context.close();
  return durations;
}

const row = (title: string, durations: readonly number[]) => {
  const { p50, p95 } = summary(durations);
  return [title, p50, p95];
};

const rows: (string | number)[][] = [];
const weights: string[] = [];
for (const path of ["/livez", "/", "/dashboard/playground"]) {
  const measurements: { paintMs: number; bytes: number }[] = [];
  for (let n = 0; n < visits; n += 1) measurements.push(await visit(path));
  rows.push(
    row(
      `first paint of ${path}`,
      measurements.map(({ paintMs }) => paintMs),
    ),
  );
  weights.push(`${path}: ${Math.round((measurements[0]?.bytes ?? 0) / 1_000)} kB`);
}
rows.push(row("Enter to answer in the playground", await measureAnswers()));

console.log(`${command()}\n`);
console.log(table(["ms", "p50", "p95"], rows));
console.log(`\nA first visit loads ${weights.join(", ")}.`);
await browser.close();
await site.stop();
