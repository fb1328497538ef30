export function withGeneratedPart(
  page: string,
  [begin, end]: readonly [begin: string, end: string],
  text: string,
): string {
  const head = page.slice(0, page.indexOf(begin));
  const tail = page.slice(page.indexOf(end));
  return `${head}${begin}\n\n${text}\n${tail}`;
}
