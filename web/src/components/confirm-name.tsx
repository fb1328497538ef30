import { type ReactNode, useState } from "preact/compat";
import type { ApiProblem } from "../api.ts";
import { isolateBidi } from "../isolate-bidi.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { ProblemNote } from "./problem-note.tsx";

export function ConfirmName({
  title,
  name,
  confirmLabel,
  cancelLabel,
  isPending,
  problem,
  onClose,
  onConfirm,
  children,
}: {
  title: ReactNode;
  name: string;
  confirmLabel: string;
  cancelLabel: string;
  isPending: boolean;
  problem: ApiProblem | null;
  onClose(): void;
  onConfirm(): Promise<void>;
  children: ReactNode;
}) {
  const [typedName, setTyped] = useState("");
  const [isSent, setSent] = useState(false);
  const isMatch = typedName.trim() === name;
  const submit = () => {
    setSent(true);
    if (isMatch) void onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose} onSubmit={submit}>
      <div className="soft">{children}</div>
      <Field
        label={
          <>
            Type{" "}
            <b>
              <bdi>{name}</bdi>
            </b>{" "}
            to confirm
          </>
        }
        value={typedName}
        autoCapitalize="off"
        spellcheck={false}
        autoFocus
        error={isSent && !isMatch ? `This does not match ${isolateBidi(name)}.` : null}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          {cancelLabel}
        </Button>
        <Button type="submit" variant="destroy" disabled={isPending}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
