import "./secret.css";
import { CopyButton } from "./button.tsx";

export function Secret({ text, isQuiet = false }: { text: string; isQuiet?: boolean }) {
  return (
    <div className="secret">
      <code>{text}</code>
      <CopyButton text={text} {...(isQuiet ? {} : { variant: "primary" as const })}>
        Copy
      </CopyButton>
    </div>
  );
}
