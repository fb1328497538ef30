import { useEffect, useRef } from "preact/compat";
import { Field } from "../../components/field.tsx";
import { type Question, splitQuestion } from "./authorization.ts";

/** Second step: an address to open, and the address to which it redirects. */
export function AuthorizationQuestion({
  question,
  answer,
  error,
  onChange,
}: {
  question: Question;
  answer: string;
  error: string | null;
  onChange(answer: string): void;
}) {
  return (
    <>
      {splitQuestion(question).map((part) =>
        part.kind === "text" ? (
          <p key={part.text}>{part.text}</p>
        ) : (
          <OpenAddress key={part.address} address={part.address} />
        ),
      )}
      <Field
        label={question.question}
        help="Copy the full address from the browser's address bar, starting with http."
        error={error}
        value={answer}
        inputMode="url"
        autoCapitalize="none"
        autoCorrect="off"
        spellcheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </>
  );
}

function OpenAddress({ address }: { address: string }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), []);
  return (
    <p>
      <a ref={link} className="button" href={address} target="_blank" rel="noopener noreferrer">
        Open {new URL(address).host}
        <span className="sr"> in a new tab</span>
        <span aria-hidden="true">↗</span>
      </a>
    </p>
  );
}
