export type DrawnTree = { label: string; branches: readonly DrawnTree[] };

export function drawTree(tree: DrawnTree): string {
  return linesOf(tree).join("\n");
}

function linesOf({ label, branches }: DrawnTree): string[] {
  const below = branches.flatMap((branch, index) => {
    const isLast = index === branches.length - 1;
    const [first = "", ...rest] = linesOf(branch);
    return [
      `${isLast ? "└─" : "├─"} ${first}`,
      ...rest.map((line) => `${isLast ? "  " : "│ "} ${line}`),
    ];
  });
  return [label, ...below];
}
