/** How many of the account's jobs are under way, beside the page that lists them. */
export function RunningCount() {
  return null;
}
