/** "Your 4 keys will stop working and 3 running jobs will end." */
export function deletionText(keys: number, jobs: number): string {
  const keysText =
    keys === 1 ? "Your key will stop working" : `Your ${keys} keys will stop working`;
  const jobsText = jobs === 1 ? "a running job will end" : `${jobs} running jobs will end`;
  if (keys > 0 && jobs > 0) return `${keysText} and ${jobsText}.`;
  if (keys > 0) return `${keysText}.`;
  return jobs > 0 ? `${jobsText.charAt(0).toUpperCase()}${jobsText.slice(1)}.` : "";
}
