/** A page shows and compares host names as they are written. */
export function domainToUnicode(name: string): string {
  return name;
}
