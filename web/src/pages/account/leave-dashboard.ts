/** Also clears everything in memory. */
export function openLandingPage(): void {
  window.location.assign("/");
}
