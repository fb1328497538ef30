import { useEffect, useRef } from "react";
import { Field } from "../../components/field.tsx";
import { partsOf, type Question } from "./authorization.ts";

/** The second step in the browser: an address to open, and the address that it led to. */
export function AuthorizationQuestion({
  question,
  answer,
  fault,
  onChange,
}: {
  question: Question;
  answer: string;
  fault: string | null;
  onChange(answer: string): void;
}) {
  return (
    <>
      {partsOf(question).map((part) =>
        part.kind === "text" ? (
          <p key={part.text}>{part.text}</p>
        ) : (
          <OpenAddress key={part.address} address={part.address} />
        ),
      )}
      <Field
        label={question.question}
        help="Copy the full address from the browser's address bar, starting with http."
        invalid={fault}
        value={answer}
        inputMode="url"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </>
  );
}

/** Another tab, so that this one waits; the platform is not told where its visitor came from. */
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
