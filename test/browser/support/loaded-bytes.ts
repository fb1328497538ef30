import type { BrowserContext, Page } from "playwright-core";

/** Counts what a page loads from now on, as it came over the wire; the function tells how much that is. */
export async function countLoaded(context: BrowserContext, page: Page): Promise<() => number> {
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  let bytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => bytes;
}
