import "./button.css";
import { type ButtonHTMLAttributes, type ReactNode, useEffect, useState } from "preact/compat";
import { Icon } from "./icons.tsx";

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: "primary" | "plain" | "danger" | "destroy";
  size?: "small" | "large";
};

export function Button({ variant, size, type = "button", ...rest }: ButtonProps) {
  return (
    <button className="button" type={type} data-variant={variant} data-size={size} {...rest} />
  );
}

const reportedMs = 1_500;

/** Copies a text; with `label` and no children it is an icon button. */
export function CopyButton({
  text,
  label,
  children,
  ...rest
}: ButtonProps & { text: string; label?: string; children?: ReactNode }) {
  const [output, setReported] = useState<string | null>(null);
  useEffect(() => {
    if (output === null) return;
    const timer = setTimeout(() => setReported(null), reportedMs);
    return () => clearTimeout(timer);
  }, [output]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setReported("Copied");
    } catch {
      // Browsers provide no clipboard on insecure origins.
      setReported("Select the text and copy it");
    }
  };
  const isIcon = children === undefined;
  return (
    <>
      <Button
        {...rest}
        aria-label={isIcon ? label : undefined}
        data-icon={isIcon ? "" : undefined}
        onClick={() => void copy()}
      >
        <Icon name={output === "Copied" ? "done" : "copy"} />
        {isIcon ? null : (output ?? children)}
      </Button>
      <span className="sr" role="status">
        {output}
      </span>
    </>
  );
}
