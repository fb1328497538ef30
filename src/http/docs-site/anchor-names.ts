export function anchorNames(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const name = anchorName(heading);
    const earlierCount = counts.get(name) ?? 0;
    counts.set(name, earlierCount + 1);
    return earlierCount === 0 ? name : `${name}-${earlierCount}`;
  };
}

/** Matches the anchors of code hosts. */
export function anchorName(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
