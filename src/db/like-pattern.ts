/** A pattern for `LIKE … ESCAPE '\\'`. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
