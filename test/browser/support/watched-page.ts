import type { BrowserContext, Page, Request } from "playwright-core";

export type WatchedPage = {
  page: Page;
  /** Resolves when no request is pending for a moment; event streams are ignored. */
  waitUntilIdle(): Promise<void>;
  /** Console errors, exceptions and CSP violations. */
  complaints: string[];
};

export async function openWatchedPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.exposeFunction("recordViolation", (violation: string) => complaints.push(violation));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { effectiveDirective, blockedURI } = event;
      void Reflect.get(window, "recordViolation")(`policy: ${effectiveDirective} ${blockedURI}`);
    });
  });
  return { page, complaints, waitUntilIdle: watchRequests(page) };
}

const quietMs = 300;

export function watchRequests(page: Page): () => Promise<void> {
  const pendingRequests = new Set<Request>();
  let changedMs = performance.now();
  const change = (request: Request, isPending: boolean) => {
    if (request.resourceType() === "eventsource") return;
    changedMs = performance.now();
    if (isPending) pendingRequests.add(request);
    else pendingRequests.delete(request);
  };
  page.on("request", (request) => change(request, true));
  page.on("requestfinished", (request) => change(request, false));
  page.on("requestfailed", (request) => change(request, false));
  return async () => {
    while (pendingRequests.size > 0 || performance.now() - changedMs < quietMs) {
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    }
  };
}

export const looks = [
  { width: 390, scheme: "light" },
  { width: 390, scheme: "dark" },
  { width: 1440, scheme: "light" },
  { width: 1440, scheme: "dark" },
] as const;

export type Look = (typeof looks)[number];

export async function applyLook(page: Page, { width, scheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: width < 500 ? 844 : 900 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
}
