/** Names the headings of one page; a name that was given already gets a number. */
export function anchorNames(): (heading: string) => string {
  const given = new Map<string, number>();
  return (heading) => {
    const name = anchorOf(heading);
    const earlier = given.get(name) ?? 0;
    given.set(name, earlier + 1);
    return earlier === 0 ? name : `${name}-${earlier}`;
  };
}

/** A heading's name as repository hosts make it: lower case, without punctuation, with hyphens for spaces. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
