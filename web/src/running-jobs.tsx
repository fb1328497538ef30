import { useJobFeed } from "./jobs/use-jobs.ts";

const max = 100;

export function RunningCount() {
  const { running } = useJobFeed();
  if (running === null || running === 0) return null;
  return (
    <span className="count">
      {running >= max ? `${max}+` : running}
      <span className="sr"> running</span>
    </span>
  );
}
