/** Of regular expressions and normalisation. */
export const unicodeVersion: string = process.versions.unicode ?? "unknown";
