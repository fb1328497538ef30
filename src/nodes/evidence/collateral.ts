import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, messageOf } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { type CheckedCollateral, requireCollateral } from "./collateral-check.ts";
import {
  type CollateralKey,
  collateralFileName,
  collateralKeyOf,
  fetchCollateral,
} from "./collateral-service.ts";
import { readCollateral } from "./collateral-text.ts";
import type { Collateral, CollateralSource } from "./evidence.ts";
import type { SignedQuote } from "./signed-quote.ts";

type ServiceSettings = {
  /** A caching service, or Intel's own. */
  url: string;
  fetch: GuardedFetch;
  clock: Pick<Clock, "now" | "elapsed">;
  /** Older collateral is fetched again; what is held serves while it is in force and the service fails. */
  maxAgeMs: number;
};

/** How long a service that failed is left alone, milliseconds. */
const pauseMs = 10_000;
const mostBytes = 2_097_152;

type Held = { collateral: Collateral; checked: CheckedCollateral; refreshAtMs: number };

/**
 * Collateral from a service, held by the kind of machine. It is fetched anew in the background once three quarters of its time
 * are over, be it its age or the time that it is in force, and never waited for while what is held is in force. Quotes were
 * verified down to their root before, so there are as many kinds as Intel, or the simulated root, has certified.
 */
export function collateralFromService(settings: ServiceSettings): CollateralSource {
  const { url, fetch, clock, maxAgeMs } = settings;
  const held = new Map<string, Held>();
  const fetches = new Map<string, Promise<Collateral>>();
  const failures = new Map<string, { atMs: number; fault: EarshotError }>();

  function fetchOnce(name: string, key: CollateralKey, quote: SignedQuote): Promise<Collateral> {
    const running = fetches.get(name);
    if (running !== undefined) return running;
    const failure = failures.get(name);
    if (failure !== undefined && clock.elapsed() - failure.atMs < pauseMs) {
      return Promise.reject(failure.fault);
    }
    const fetched = fetchAndHold(name, key, quote).finally(() => fetches.delete(name));
    fetches.set(name, fetched);
    return fetched;
  }

  async function fetchAndHold(
    name: string,
    key: CollateralKey,
    quote: SignedQuote,
  ): Promise<Collateral> {
    try {
      const collateral = await fetchCollateral(url, fetch, key);
      const nowMs = clock.now();
      // What is damaged, or is not in force, does not take the place of what is held.
      const checked = requireCollateral(collateral, quote, nowMs);
      requireAsRecent(checked, held.get(name)?.checked);
      const leftMs = Math.min(maxAgeMs, checked.untilMs - nowMs);
      const refreshAtMs = clock.elapsed() + leftMs * 0.75;
      failures.delete(name);
      held.set(name, { collateral, checked, refreshAtMs });
      return collateral;
    } catch (thrown) {
      const fault = unavailable(reasonOf(thrown), tryAgain);
      failures.set(name, { atMs: clock.elapsed(), fault });
      throw fault;
    }
  }

  return async (quote) => {
    const key = collateralKeyOf(quote);
    const name = collateralFileName(key);
    const known = held.get(name);
    if (known === undefined || clock.now() > known.checked.untilMs) {
      return fetchOnce(name, key, quote);
    }
    // Nobody waits for this one, and what it fails with is told once nothing is in force any more.
    if (clock.elapsed() >= known.refreshAtMs) fetchOnce(name, key, quote).catch(() => {});
    return known.collateral;
  };
}

/** Collateral from files of a folder, such as `tdx-90c06f000000-platform.json`, read anew each time. */
export function collateralFromFolder(folder: string): CollateralSource {
  return async (quote) => {
    const name = collateralFileName(collateralKeyOf(quote));
    try {
      return readCollateral(JSON.parse(await readBounded(join(folder, name))));
    } catch (thrown) {
      throw unavailable(`${name}: ${reasonOf(thrown)}`, `put the file into the folder ${folder}`);
    }
  };
}

async function readBounded(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size > mostBytes)
    throw new EarshotError("collateral_unreadable", `it is longer than ${mostBytes} bytes`);
  return await file.readFile("utf8");
}

/** A service that is behind what it gave before would take back what was published meanwhile. */
function requireAsRecent(fetched: CheckedCollateral, held: CheckedCollateral | undefined): void {
  const before = held?.tcbInfo.tcbEvaluationDataNumber ?? 0;
  const { tcbEvaluationDataNumber: given } = fetched.tcbInfo;
  if (given >= before) return;
  throw new EarshotError(
    "collateral_unreadable",
    `the service gives evaluation ${given} after it gave ${before}`,
  );
}

/** What a caller is told of collateral that cannot be had. */
function unavailable(reason: string, hint: string): EarshotError {
  return new EarshotError(
    "collateral_unavailable",
    `no collateral to verify the quote with: ${reason}`,
    { status: 503, retryable: true, hint },
  );
}

/** What a service or a file holds is never repeated: only what is known of the fault. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof EarshotError) return thrown.message;
  if (thrown instanceof Error && "code" in thrown) return String(thrown.code);
  return thrown instanceof SyntaxError ? "it is no JSON" : messageOf(thrown);
}

const tryAgain = "try again; EARSHOT_NODES_COLLATERAL_URL names the service that is asked";
