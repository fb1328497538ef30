/** A name that people chose, inside a sentence that is no markup: its direction is its own (FSI, PDI), as `<bdi>` does. */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
