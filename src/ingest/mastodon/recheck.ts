/**
 * Only a 404 or 410 for a single status deletes it: a list omits what the token's account may not
 * see. Before the first deletion of a run, the server must return a status from its own timeline,
 * so that a misconfigured proxy cannot empty the archive.
 */

import type { Archive, ArchiveChange, NamedPosition } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { idTimeMs } from "../../posts/ids.ts";
import { statusAlias, statusIdIn } from "./events.ts";
import { createStatusReader, type StatusReader } from "./read-statuses.ts";
import type { MastodonRequests } from "./requests.ts";

/**
 * Compares stored statuses with their server, because an interrupted stream misses deletions and
 * edits.
 *
 * - After each gap, checks statuses from the last `recheckRecentMs`, newest first.
 * - Then a sweep checks all statuses, newest first. Its position is a checkpoint, so gaps and
 *   restarts only interrupt it. The next sweep starts `recheckAgeMs` after its start, or
 *   immediately if there has been a gap since.
 * - Hides accounts that have opted out.
 */
export type MastodonRecheck = {
  recordGapEnd(): void;
  recordGapStart(): void;
  confirms(id: bigint): boolean;
  run(signal: AbortSignal): Promise<void>;
  state(): RecheckState;
};

export type RecheckState = {
  isPending: boolean;
  checked: number;
  removed: number;
};

export type MastodonRecheckOptions = {
  host: string;
  archive: Pick<Archive, "aliases" | "write" | "readCheckpoint">;
  requests: MastodonRequests;
  clock: Clock;
  settings: { recheckRecentMs: number; recheckAgeMs: number };
  readChanges: (status: unknown) => readonly ArchiveChange[];
};

/** Mastodon's maximum per request. */
const statusesPerRequest = 20;

export function createMastodonRecheck(options: MastodonRecheckOptions): MastodonRecheck {
  const { host, archive, clock, settings } = options;
  const checkpoint = `mastodon-recheck ${host}`;
  const counts = { checked: 0, removed: 0 };
  let gapEndMs: number | null = null;
  let recentCursor: bigint | null = null;
  let sweep: Sweep | null = null;

  async function run(signal: AbortSignal): Promise<void> {
    const reader = createStatusReader(options.requests, signal);
    sweep ??= readSweep(await archive.readCheckpoint(checkpoint));
    await compareRecent(reader, signal);
    for (;;) {
      if (sweep === null || (sweep.isDone && dueMs(sweep) <= clock.now())) {
        sweep = newSweep(clock.now());
      } else if (sweep.isDone) {
        await clock.sleep(dueMs(sweep) - clock.now(), signal);
      } else {
        sweep = await continueSweep(sweep, reader);
      }
      signal.throwIfAborted();
    }
  }

  const dueMs = ({ startedMs }: Sweep): number =>
    gapEndMs !== null && startedMs < gapEndMs ? startedMs : startedMs + settings.recheckAgeMs;

  async function compareRecent(reader: StatusReader, signal: AbortSignal): Promise<void> {
    const fromMs = clock.now() - settings.recheckRecentMs;
    recentCursor = null;
    for (;;) {
      const page = await archive.aliases("mastodon", recentCursor, statusesPerRequest);
      const recentPositions = page.filter(({ id }) => idTimeMs(id) >= fromMs);
      signal.throwIfAborted();
      await compare(recentPositions, reader, []);
      recentCursor = recentPositions.at(-1)?.id ?? recentCursor;
      if (recentPositions.length < statusesPerRequest) return;
    }
  }

  async function continueSweep(currentSweep: Sweep, reader: StatusReader): Promise<Sweep> {
    const page = await archive.aliases("mastodon", currentSweep.below, statusesPerRequest);
    const below = page.at(-1)?.id ?? currentSweep.below;
    const nextSweep = { ...currentSweep, below, isDone: page.length < statusesPerRequest };
    await compare(page, reader, [{ name: checkpoint, value: writeSweep(nextSweep) }]);
    return nextSweep;
  }

  async function compare(
    page: readonly NamedPosition[],
    reader: StatusReader,
    checkpoints: readonly { name: string; value: string }[],
  ): Promise<void> {
    const storedIds = page.flatMap(
      ({ name, isStored }) => (isStored && statusIdIn(name, host)) || [],
    );
    const { found, absent } = await reader.read(storedIds);
    const deletedAt = isoTime(clock.now());
    const deletions = absent.map(
      (id): ArchiveChange => ({
        kind: "delete-stored",
        platform: "mastodon",
        name: statusAlias(id, host),
        revision: deletedAt,
      }),
    );
    const changes = [...found.flatMap(options.readChanges), ...deletions];
    if (changes.length + checkpoints.length > 0) await archive.write({ changes, checkpoints });
    counts.checked += storedIds.length;
    counts.removed += absent.length;
  }

  function confirms(id: bigint): boolean {
    if (gapEndMs === null) return false;
    if (idTimeMs(id) >= gapEndMs) return true;
    if (recentCursor !== null && id >= recentCursor) return true;
    if (sweep === null || sweep.startedMs < gapEndMs) return false;
    return sweep.isDone || (sweep.below !== null && id >= sweep.below);
  }

  return {
    recordGapEnd: () => {
      gapEndMs = clock.now();
      recentCursor = null;
    },
    recordGapStart: () => {
      gapEndMs = null;
      recentCursor = null;
    },
    confirms,
    run,
    state: () => ({ isPending: !confirms(0n), ...counts }),
  };
}

type Sweep = {
  startedMs: number;
  below: bigint | null;
  isDone: boolean;
};

const newSweep = (startedMs: number): Sweep => ({
  startedMs,
  below: null,
  isDone: false,
});

const writeSweep = ({ below, ...rest }: Sweep): string =>
  JSON.stringify({ ...rest, below: below === null ? null : String(below) });

function readSweep(text: string | null): Sweep | null {
  const { startedMs, below, isDone } = readFields(text);
  const isId = typeof below === "string" && /^\d{1,19}$/.test(below);
  if (typeof startedMs !== "number" || typeof isDone !== "boolean") return null;
  return { startedMs, below: isId ? BigInt(below) : null, isDone };
}

function readFields(text: string | null): Partial<Record<keyof Sweep, unknown>> {
  try {
    return JSON.parse(text ?? "{}") ?? {};
  } catch {
    return {};
  }
}
