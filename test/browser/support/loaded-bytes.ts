import type { BrowserContext, Page } from "playwright-core";

/** Counts the bytes sent over the network. */
export async function countLoadedBytes(context: BrowserContext, page: Page): Promise<() => number> {
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  let bytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => bytes;
}
