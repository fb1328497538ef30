/** Replaces links to unserved pages with their text. */
export function linksAsServed(
  text: string,
  resolveLink: (target: string) => string | null,
): string {
  let inCode = false;
  const lines = text.split("\n").map((line) => {
    if (line.startsWith("```")) inCode = !inCode;
    return inCode ? line : lineAsServed(line, resolveLink);
  });
  return lines.join("\n");
}

function lineAsServed(line: string, resolveLink: (target: string) => string | null): string {
  return line.replaceAll(
    /(!?)\[((?:`[^`]*`|[^`[\]])*)\]\(([^()\s]+)\)|`[^`]*`/g,
    (whole: string, picture: string | undefined, name: string, target: string | undefined) => {
      if (target === undefined) return whole;
      const address = resolveLink(target);
      return address === null ? name : `${picture}[${name}](${address})`;
    },
  );
}
