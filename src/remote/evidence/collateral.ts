import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { type CheckedCollateral, requireCollateral } from "./collateral-check.ts";
import { collateralFileName, collateralKey, fetchCollateral } from "./collateral-service.ts";
import { readCollateral, unreadableCollateral } from "./collateral-text.ts";
import type { Collateral, CollateralSource } from "./evidence.ts";
import type { SignedQuote } from "./signed-quote.ts";

type ServiceSettings = {
  url: string;
  fetch: GuardedFetch;
  clock: Pick<Clock, "now" | "elapsed">;
  /** If the service fails, older collateral is used while it is valid. */
  maxAgeMs: number;
};

const pauseMs = 10_000;
const maxBytes = 2_097_152;

type Entry = {
  cached: { collateral: Collateral; checked: CheckedCollateral; refreshAtMs: number } | null;
  pendingRefresh: Promise<Collateral> | null;
  failure: { atMs: number; error: EarshotError } | null;
};

/**
 * Refreshes after three quarters of the maximum age or, if shorter, the remaining validity. Only
 * quotes that chain to the root get here, which bounds the cache.
 */
export function collateralFromService(settings: ServiceSettings): CollateralSource {
  const { url, fetch, clock, maxAgeMs } = settings;
  const entries = new Map<string, Entry>();

  function fetchOnce(entry: Entry, quote: SignedQuote): Promise<Collateral> {
    if (entry.pendingRefresh !== null) return entry.pendingRefresh;
    const { failure } = entry;
    if (failure !== null && clock.elapsed() - failure.atMs < pauseMs) {
      return Promise.reject(failure.error);
    }
    entry.pendingRefresh = refresh(entry, quote).finally(() => {
      entry.pendingRefresh = null;
    });
    return entry.pendingRefresh;
  }

  async function refresh(entry: Entry, quote: SignedQuote): Promise<Collateral> {
    try {
      const collateral = await fetchCollateral(url, fetch, collateralKey(quote));
      const nowMs = clock.now();
      // Damaged or expired collateral never replaces the cached collateral.
      const checked = requireCollateral(collateral, quote, nowMs);
      requireNotOlder(checked, entry.cached?.checked);
      const remainingMs = Math.min(maxAgeMs, checked.validUntilMs - nowMs);
      entry.cached = { collateral, checked, refreshAtMs: clock.elapsed() + remainingMs * 0.75 };
      entry.failure = null;
      return collateral;
    } catch (thrown) {
      const hint = "retry, or set EARSHOT_NODES_COLLATERAL to another service";
      const error = unavailable(errorReason(thrown), hint);
      entry.failure = { atMs: clock.elapsed(), error };
      throw error;
    }
  }

  return async (quote) => {
    const name = collateralFileName(collateralKey(quote));
    const entry = entries.get(name) ?? { cached: null, pendingRefresh: null, failure: null };
    entries.set(name, entry);
    const { cached } = entry;
    if (cached === null || clock.now() > cached.checked.validUntilMs)
      return fetchOnce(entry, quote);
    if (clock.elapsed() >= cached.refreshAtMs) fetchOnce(entry, quote).catch(() => {});
    return cached.collateral;
  };
}

/** Reads files such as `tdx-90c06f000000-platform.json` at each use. */
export function collateralFromFolder(folder: string): CollateralSource {
  return async (quote) => {
    const name = collateralFileName(collateralKey(quote));
    try {
      return readCollateral(JSON.parse(await readBounded(join(folder, name))));
    } catch (thrown) {
      throw unavailable(`${name}: ${errorReason(thrown)}`, `put the file in the folder ${folder}`);
    }
  };
}

async function readBounded(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size > maxBytes) throw unreadableCollateral(`longer than ${maxBytes} bytes`);
  return await file.readFile("utf8");
}

/** A lower evaluation number would be a rollback. */
function requireNotOlder(fetched: CheckedCollateral, cached: CheckedCollateral | undefined): void {
  const cachedNumber = cached?.tcbInfo.tcbEvaluationDataNumber ?? 0;
  const { tcbEvaluationDataNumber: number } = fetched.tcbInfo;
  if (number < cachedNumber)
    throw unreadableCollateral(
      `evaluation number ${number} is lower than the cached ${cachedNumber}`,
    );
}

function unavailable(reason: string, hint: string): EarshotError {
  const message = `no collateral with which to verify the quote: ${reason}`;
  return new EarshotError("collateral_unavailable", message, {
    status: 503,
    retryable: true,
    hint,
  });
}

/** Never repeats file content. */
function errorReason(thrown: unknown): string {
  if (thrown instanceof EarshotError) return thrown.message;
  if (thrown instanceof Error && "code" in thrown) return String(thrown.code);
  return thrown instanceof SyntaxError ? "not JSON" : errorMessage(thrown);
}
