import "./button.css";
import { type ButtonHTMLAttributes, type ReactNode, useEffect, useState } from "react";
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

const saidMs = 1_500;

/** Copies a text; with `label` and no children it is an icon button. */
export function CopyButton({
  text,
  label,
  children,
  ...rest
}: ButtonProps & { text: string; label?: string; children?: ReactNode }) {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), saidMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Browsers provide no clipboard on insecure origins.
      setSaid("Select the text and copy it");
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
        <Icon name={said === "Copied" ? "done" : "copy"} />
        {isIcon ? null : (said ?? children)}
      </Button>
      <span className="sr" role="status">
        {said}
      </span>
    </>
  );
}
