export function prettyJson(value: unknown, columns: number, indent = ""): string {
  const line = onOneLine(value);
  if (indent.length + line.length <= columns || typeof value !== "object" || value === null) {
    return line;
  }
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item: unknown) => deeper + prettyJson(item, columns, deeper))
    : fill(Object.entries(value), columns, deeper);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}\n${items.join(",\n")}\n${indent}${close}`;
}

function fill(members: readonly [string, unknown][], columns: number, indent: string): string[] {
  const lines: string[] = [];
  for (const [name, value] of members) {
    const start = `${JSON.stringify(name)}: `;
    const short = start + onOneLine(value);
    const last = lines.at(-1);
    if (last !== undefined && !last.includes("\n") && last.length + 2 + short.length <= columns) {
      lines[lines.length - 1] = `${last}, ${short}`;
    } else {
      lines.push(indent + start + prettyJson(value, columns - start.length, indent));
    }
  }
  return lines;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
