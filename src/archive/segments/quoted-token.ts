export const quotedToken = (text: string): string => `"${text.replaceAll('"', '""')}"`;
