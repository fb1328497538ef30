import "./command-line.css";
import type { ReactNode } from "preact/compat";
import { CopyButton } from "./button.tsx";

export function CommandLine({ command, children }: { command: string; children?: ReactNode }) {
  return (
    <span className="command-line">
      <code>{command}</code>
      <CopyButton text={command} label="Copy command" variant="plain" size="small" />
      {children}
    </span>
  );
}
