/** Runs in a checkout, with the package, and after a global installation. */
export function commandText(command: string): string {
  return `npx earshot ${command}`;
}
