import { type ReactNode, useState } from "preact/compat";
import type { KeyLimitsResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import type { ActionState } from "../../components/use-action.ts";
import { KeyFields } from "./key-fields.tsx";
import { checkForm, type KeyForm, problemErrors } from "./key-form.ts";

/** Shows errors at their fields, others above the buttons. */
export function KeyFormDialog({
  title,
  action,
  form,
  onChange,
  limits,
  submission,
  onClose,
  onSubmit,
}: {
  title: ReactNode;
  action: string;
  form: KeyForm;
  onChange(form: KeyForm): void;
  limits: KeyLimitsResponse;
  submission: ActionState;
  onClose(): void;
  onSubmit(): Promise<void>;
}) {
  const [isSent, setSent] = useState(false);
  const formErrors = isSent ? checkForm(form, limits, Date.now()) : {};
  const serverErrors = submission.problem === null ? {} : problemErrors(submission.problem);
  const hasFieldErrors = Object.keys(serverErrors).length > 0;
  const submit = () => {
    setSent(true);
    if (Object.keys(checkForm(form, limits, Date.now())).length === 0) void onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose} onSubmit={submit}>
      <KeyFields
        form={form}
        errors={{ ...serverErrors, ...formErrors }}
        limits={limits}
        onChange={onChange}
      />
      {submission.problem === null || hasFieldErrors ? null : (
        <ProblemNote problem={submission.problem} />
      )}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" disabled={submission.isPending}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
