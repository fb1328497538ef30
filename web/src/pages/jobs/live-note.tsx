import { Button } from "../../components/button.tsx";
import { Note } from "../../components/note.tsx";
import { useNow } from "../../components/time.tsx";
import { retryFeed, useJobFeed } from "../../jobs/use-jobs.ts";

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

export function LiveNote() {
  const { feed } = useJobFeed();
  if (feed.status !== "stopped") return null;
  return (
    <Note
      icon="retry"
      title="Live updates stopped"
      action={
        <Button size="small" onClick={retryFeed}>
          Try now
        </Button>
      }
    >
      <p>
        Last updated at {timeOfDay.format(feed.sinceMs)}. <Countdown toMs={feed.retryAtMs} />
      </p>
    </Note>
  );
}

/** Hidden from screen readers, which would announce every second. */
function Countdown({ toMs }: { toMs: number }) {
  const nowMs = useNow(1_000);
  const seconds = Math.max(0, Math.ceil((toMs - nowMs) / 1_000));
  return (
    <span aria-hidden="true">{seconds === 0 ? "Retrying now." : `Retrying in ${seconds} s.`}</span>
  );
}
