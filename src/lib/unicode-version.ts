/** Of the character tables that regular expressions and normalisation use. */
export const unicodeVersion: string = process.versions.unicode ?? "unknown";
