/** To the landing page, as a page of its own: nothing that this one held stays in memory. */
export function leave(): void {
  window.location.assign("/");
}
