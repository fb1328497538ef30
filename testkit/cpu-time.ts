/** Starts to measure: returns the milliseconds of CPU this thread has used since. Other load does not count. */
export function startCpuTime(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  };
}
