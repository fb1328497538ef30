export const unicodeVersion: string = process.versions.unicode ?? "unknown";
