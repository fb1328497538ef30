export type DrawnTree = { label: string; branches: readonly DrawnTree[] };

export function drawTree(tree: DrawnTree): string {
  return treeLines(tree).join("\n");
}

function treeLines({ label, branches }: DrawnTree): string[] {
  const branchLines = branches.flatMap((branch, index) => {
    const isLast = index === branches.length - 1;
    const [first = "", ...rest] = treeLines(branch);
    return [
      `${isLast ? "└─" : "├─"} ${first}`,
      ...rest.map((line) => `${isLast ? "  " : "│ "} ${line}`),
    ];
  });
  return [label, ...branchLines];
}
