/** Loads the landing page, which clears everything in memory. */
export function openLandingPage(): void {
  window.location.assign("/");
}
