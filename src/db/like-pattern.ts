/** Pattern for `LIKE … ESCAPE '\\'` that matches values containing the text. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
