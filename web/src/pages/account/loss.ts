/** "Your 4 keys stop working and 3 running jobs end." */
export function deletionText(keys: number, jobs: number): string {
  const keysText = keys === 1 ? "Your key stops working" : `Your ${keys} keys stop working`;
  const jobsText = jobs === 1 ? "a running job ends" : `${jobs} running jobs end`;
  if (keys > 0 && jobs > 0) return `${keysText} and ${jobsText}.`;
  if (keys > 0) return `${keysText}.`;
  return jobs > 0 ? `${jobsText.charAt(0).toUpperCase()}${jobsText.slice(1)}.` : "";
}
