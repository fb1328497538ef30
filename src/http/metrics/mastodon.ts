import type { Registry } from "prom-client";
import type { MastodonStreamState } from "../../ingest/ingest-state.ts";
import { stateMetrics } from "./state.ts";

export function addMastodonMetrics(
  registry: Registry,
  getState: () => MastodonStreamState | null,
): void {
  const { gauge, counter } = stateMetrics(registry, getState);

  gauge("earshot_mastodon_stream_connected", "Whether the Mastodon stream is connected", (state) =>
    Number(state.status === "connected"),
  );
  gauge(
    "earshot_mastodon_stream_paused",
    "Whether the Mastodon stream is waiting for the archive",
    (state) => Number(state.status === "paused"),
  );
  gauge(
    "earshot_mastodon_stream_last_event_timestamp_seconds",
    "Unix time of the last event of the Mastodon stream",
    ({ lastEventMs }) => (lastEventMs === null ? null : lastEventMs / 1000),
  );
  gauge(
    "earshot_mastodon_stream_waiting_events",
    "Pending events of the Mastodon stream",
    (state) => state.waitingEvents,
  );
  counter(
    "earshot_mastodon_stream_events_total",
    "Events received from the Mastodon stream since the start",
    (state) => state.events,
  );
  counter(
    "earshot_mastodon_stream_posts_total",
    "Posts and edits received from the Mastodon stream since the start",
    (state) => state.posts,
  );
  counter(
    "earshot_mastodon_stream_deletes_total",
    "Deletions received from the Mastodon stream since the start",
    (state) => state.deletes,
  );
  counter(
    "earshot_mastodon_stream_left_out_total",
    "Posts and edits in the Mastodon stream that were not stored",
    (state) => state.skipped,
  );
  counter(
    "earshot_mastodon_stream_bad_frames_total",
    "Invalid events received from the Mastodon stream",
    (state) => state.badFrames,
  );
  counter(
    "earshot_mastodon_stream_reconnects_total",
    "Mastodon stream connections that ended",
    (state) => state.reconnects,
  );
  counter(
    "earshot_mastodon_stream_gaps_total",
    "Gaps in the Mastodon stream",
    (state) => state.gaps,
  );
  counter(
    "earshot_mastodon_stream_caught_up_total",
    "Posts read from the Mastodon server's timeline after gaps of its stream",
    (state) => state.caughtUp,
  );
  gauge(
    "earshot_mastodon_stream_recheck_pending",
    "Whether stored posts have yet to be compared with the Mastodon server after a gap of its stream",
    (state) => Number(state.recheck.isPending),
  );
  counter(
    "earshot_mastodon_stream_recheck_total",
    "Stored posts compared with the Mastodon server since the start",
    (state) => state.recheck.checked,
  );
  counter(
    "earshot_mastodon_stream_recheck_removed_total",
    "Stored posts that the comparison found deleted on the Mastodon server",
    (state) => state.recheck.removed,
  );
}
