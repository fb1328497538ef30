import type { ReactNode } from "preact/compat";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import type { ActionState } from "../../components/use-action.ts";

export function ActionDialog({
  title,
  action,
  isDestructive = false,
  submission: { isPending, problem },
  onClose,
  onSubmit,
  children,
}: {
  title: ReactNode;
  action: string;
  isDestructive?: boolean;
  submission: ActionState;
  onClose(): void;
  onSubmit(): void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose} onSubmit={onSubmit}>
      {children}
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant={isDestructive ? "destroy" : "primary"} disabled={isPending}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
