/** The pattern for `LIKE … ESCAPE '\\'`. */
export const containsPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
