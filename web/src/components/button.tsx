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

const feedbackMs = 1_500;

/** With `label` and no children, an icon button. */
export function CopyButton({
  text,
  label,
  children,
  ...rest
}: ButtonProps & { text: string; label?: string; children?: ReactNode }) {
  const [feedback, setFeedback] = useState<string | null>(null);
  useEffect(() => {
    if (feedback === null) return;
    const timer = setTimeout(() => setFeedback(null), feedbackMs);
    return () => clearTimeout(timer);
  }, [feedback]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setFeedback("Copied");
    } catch {
      // Browsers provide no clipboard on insecure origins.
      setFeedback("Select the text and copy it");
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
        <Icon name={feedback === "Copied" ? "done" : "copy"} />
        {isIcon ? null : (feedback ?? children)}
      </Button>
      <span className="sr" role="status">
        {feedback}
      </span>
    </>
  );
}
