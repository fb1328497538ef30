/** "Your 4 keys stop working and 3 running jobs end." */
export function deletionText(keys: number, jobs: number): string {
  const ofKeys = keys === 1 ? "Your key stops working" : `Your ${keys} keys stop working`;
  const ofJobs = jobs === 1 ? "a running job ends" : `${jobs} running jobs end`;
  if (keys > 0 && jobs > 0) return `${ofKeys} and ${ofJobs}.`;
  if (keys > 0) return `${ofKeys}.`;
  return jobs > 0 ? `${ofJobs.charAt(0).toUpperCase()}${ofJobs.slice(1)}.` : "";
}
