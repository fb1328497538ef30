import { useJobFeed } from "./jobs/use-jobs.ts";

const most = 100;

export function RunningCount() {
  const { running } = useJobFeed();
  if (running === null || running === 0) return null;
  return (
    <span className="count">
      {running >= most ? `${most}+` : running}
      <span className="sr"> running</span>
    </span>
  );
}
