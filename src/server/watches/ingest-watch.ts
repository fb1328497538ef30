import type { Logger } from "pino";
import type { IngestState, MastodonStreamState } from "../../ingest/ingest-state.ts";
import type { Clock } from "../../lib/clock.ts";

const checkMs = 1_000;

export type IngestWatch = {
  state(): IngestState | null;
  mastodonState(): MastodonStreamState | null;
  clock: Pick<Clock, "sleep">;
  log: Pick<Logger, "info">;
  signal: AbortSignal;
};

export async function watchIngest({
  state,
  mastodonState,
  clock,
  log,
  signal,
}: IngestWatch): Promise<void> {
  const loggedStatuses = new Map<string, string>();
  while (!signal.aborted) {
    for (const { part, status, detail } of [...listParts(state()), ...getStream(mastodonState())]) {
      if (loggedStatuses.get(part) === status) continue;
      loggedStatuses.set(part, status);
      log.info({ part, status, detail }, "ingest state");
    }
    await clock.sleep(checkMs, signal).catch(() => undefined);
  }
}

type Part = { part: string; status: string; detail: string };

function listParts(state: IngestState | null): readonly Part[] {
  if (state === null) return [];
  const { labelers, lookUp, status, detail } = state;
  return [
    { part: "stream", status, detail },
    ...labelers.map((labeler) => ({ ...labeler, part: `labeler ${labeler.host}` })),
    ...(lookUp === null ? [] : [{ ...lookUp, part: "look-up" }]),
  ];
}

function getStream(state: MastodonStreamState | null): readonly Part[] {
  return state === null ? [] : [{ ...state, part: `stream of ${state.host}` }];
}
