/** A text as a string of an FTS5 expression. */
export const quotedToken = (text: string): string => `"${text.replaceAll('"', '""')}"`;
