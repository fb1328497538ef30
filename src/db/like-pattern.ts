/** For `LIKE … ESCAPE '\\'`: values that contain the text. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
