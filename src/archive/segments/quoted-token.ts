/** As an FTS5 string. */
export const quotedToken = (text: string): string => `"${text.replaceAll('"', '""')}"`;
