/** JSON parsers differ in which duplicate they use. */
export function hasDuplicateMembers(json: string): boolean {
  const openContainers: (Set<string> | null)[] = [];
  let isNameNext = false;
  for (let index = 0; index < json.length; index += 1) {
    switch (json[index]) {
      case '"': {
        const end = stringEnd(json, index);
        const names = openContainers.at(-1) ?? null;
        if (isNameNext && names !== null) {
          const name: string = JSON.parse(json.slice(index, end + 1));
          if (names.has(name)) return true;
          names.add(name);
        }
        isNameNext = false;
        index = end;
        break;
      }
      case "{":
        openContainers.push(new Set());
        isNameNext = true;
        break;
      case "[":
        openContainers.push(null);
        isNameNext = false;
        break;
      case "}":
      case "]":
        openContainers.pop();
        break;
      case ",":
        isNameNext = true;
        break;
    }
  }
  return false;
}

function stringEnd(json: string, start: number): number {
  let index = json.indexOf('"', start + 1);
  while (index !== -1) {
    let precedingIndex = index - 1;
    while (json[precedingIndex] === "\\") precedingIndex -= 1;
    if ((index - precedingIndex) % 2 === 1) return index;
    index = json.indexOf('"', index + 1);
  }
  return json.length;
}
