export function anchorNames(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const name = anchorName(heading);
    const earlier = counts.get(name) ?? 0;
    counts.set(name, earlier + 1);
    return earlier === 0 ? name : `${name}-${earlier}`;
  };
}

/** The anchor that code hosts generate for a heading. */
export function anchorName(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
