import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, messageOf } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { type CheckedCollateral, requireCollateral } from "./collateral-check.ts";
import { type CollateralKey, collateralFileName, collateralKeyOf } from "./collateral-key.ts";
import { fetchCollateral } from "./collateral-service.ts";
import { readCollateral } from "./collateral-text.ts";
import type { Collateral, CollateralSource } from "./evidence.ts";
import { openQuoteByItsOwnRoot } from "./signed-quote.ts";

type ServiceSettings = {
  /** A caching service, or Intel's own. */
  url: string;
  fetch: GuardedFetch;
  clock: Pick<Clock, "now" | "elapsed">;
  /** Older collateral is fetched again; what is held serves while it is in force and the service fails. */
  maxAgeMs: number;
};

/** Most kinds of machines that collateral is held of. */
const mostKinds = 64;
/** Most that are fetched at a time. */
const mostFetches = 8;
/** How long a service that failed is left alone, milliseconds. */
const pauseMs = 10_000;
const mostBytes = 2_097_152;

type Held = { collateral: Collateral; checked: CheckedCollateral; refreshAtMs: number };

/**
 * Collateral from a service, held by the kind of machine. It is fetched anew in the background once three quarters of its time
 * are over, be it its age or the time that it is in force, and never waited for while what is held is in force.
 */
export function collateralFromService(settings: ServiceSettings): CollateralSource {
  const { url, fetch, clock, maxAgeMs } = settings;
  const held = new Map<string, Held>();
  const fetches = new Map<string, Promise<Collateral>>();
  const failures = new Map<string, { atMs: number; fault: EarshotError }>();

  function fetchOnce(name: string, key: CollateralKey, quote: Uint8Array): Promise<Collateral> {
    const running = fetches.get(name);
    if (running !== undefined) return running;
    const failure = failures.get(name);
    if (failure !== undefined && clock.elapsed() - failure.atMs < pauseMs) {
      return Promise.reject(failure.fault);
    }
    if (fetches.size >= mostFetches) {
      return Promise.reject(unavailable("too much of it is fetched at the moment", tryAgain));
    }
    const fetched = fetchAndHold(name, key, quote).finally(() => fetches.delete(name));
    fetches.set(name, fetched);
    return fetched;
  }

  async function fetchAndHold(
    name: string,
    key: CollateralKey,
    quote: Uint8Array,
  ): Promise<Collateral> {
    try {
      const collateral = await fetchCollateral(url, fetch, key);
      const nowMs = clock.now();
      // What is damaged, or is not in force, does not take the place of what is held.
      const checked = requireCollateral(collateral, openQuoteByItsOwnRoot(quote, nowMs), nowMs);
      requireAsRecent(checked, held.get(name)?.checked);
      const leftMs = Math.min(maxAgeMs, checked.untilMs - nowMs);
      const refreshAtMs = clock.elapsed() + leftMs * 0.75;
      failures.delete(name);
      keep(held, name, { collateral, checked, refreshAtMs });
      return collateral;
    } catch (thrown) {
      const fault = unavailable(reasonOf(thrown), tryAgain);
      keep(failures, name, { atMs: clock.elapsed(), fault });
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

function keep<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  for (const oldest of map.keys()) {
    if (map.size <= mostKinds) return;
    map.delete(oldest);
  }
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
