/** Loads the landing page, which clears everything in memory. */
export function leave(): void {
  window.location.assign("/");
}
