import { useEffect, useRef, useState } from "preact/compat";
import type { JobSummary } from "../../jobs/job.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";

/** Announces the last changed job to screen readers. */
export function JobAnnouncement({ jobs }: { jobs: readonly JobSummary[] }) {
  const { last } = useJobFeed();
  const announced = useRef(last);
  const [text, setText] = useState("");
  useEffect(() => {
    if (last === null || last === announced.current) return;
    announced.current = last;
    const job = jobs.find(({ uuid }) => uuid === last.uuid);
    setText(`${job?.query || job?.method || "A job"}: ${last.status}`);
  }, [last, jobs]);
  return (
    <p className="sr" role="status">
      {text}
    </p>
  );
}
