/** Isolates the text's direction (FSI, PDI), as `<bdi>` does. */
export function isolateBidi(name: string): string {
  return `\u2068${name}\u2069`;
}
