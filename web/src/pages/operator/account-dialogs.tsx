import { useState } from "preact/compat";
import { useLocation } from "wouter";
import { api } from "../../api.ts";
import { ConfirmName } from "../../components/confirm-name.tsx";
import { Field } from "../../components/field.tsx";
import { focusPageHead } from "../../components/page-head.tsx";
import { useAction } from "../../components/use-action.ts";
import type { AccountDialogProps } from "./account-panel.tsx";
import { ActionDialog } from "./action-dialog.tsx";

export function RoleDialog({ account, onClose, onChange }: AccountDialogProps) {
  const submission = useAction();
  const isOperator = account.role === "operator";
  const change = () =>
    void submission.run(async () => {
      await onChange({ role: isOperator ? "member" : "operator" });
      onClose();
    });
  return (
    <ActionDialog
      title={
        <>
          Make <bdi>{account.name}</bdi> {isOperator ? "a member" : "an operator"}?
        </>
      }
      action={isOperator ? "Make a member" : "Make an operator"}
      submission={submission}
      onClose={onClose}
      onSubmit={change}
    >
      <p className="soft">
        {isOperator
          ? "They will keep their account and keys, and lose access to other accounts."
          : "They will be able to see all accounts and the audit log, change limits, suspend and delete accounts, and remove your operator role."}
      </p>
    </ActionDialog>
  );
}

const maxReasonLength = 200;

export function SuspendDialog({ account, onClose, onChange }: AccountDialogProps) {
  const submission = useAction();
  const [reason, setReason] = useState("");
  const suspend = () =>
    void submission.run(async () => {
      await onChange({ suspended: true, suspended_reason: reason.trim() });
      onClose();
    });
  return (
    <ActionDialog
      title={
        <>
          Suspend <bdi>{account.name}</bdi>?
        </>
      }
      action="Suspend account"
      isDestructive
      submission={submission}
      onClose={onClose}
      onSubmit={suspend}
    >
      <p className="soft">
        Its keys will be rejected, and its sessions and running jobs will end immediately. Nothing
        will be deleted; you can restore the account.
      </p>
      <Field
        label="Reason"
        value={reason}
        autoFocus
        maxLength={maxReasonLength}
        help="Visible to operators. Deleted when the account is restored."
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}

export function DeleteDialog({ account, onClose, onChanged }: AccountDialogProps) {
  const [, navigate] = useLocation();
  const { isPending, problem, run } = useAction();
  const remove = () =>
    run(async () => {
      await api.delete(`/dashboard/api/operator/accounts/${account.id}`, { confirm: account.name });
      navigate("/accounts");
      await onChanged();
      focusPageHead();
    });
  return (
    <ConfirmName
      title={
        <>
          Delete <bdi>{account.name}</bdi>?
        </>
      }
      name={account.name}
      confirmLabel="Delete account"
      cancelLabel="Keep the account"
      isPending={isPending}
      problem={problem}
      onClose={onClose}
      onConfirm={remove}
    >
      <p>
        Its keys will stop working and its jobs will end. Results, usage, credentials and webhooks
        will be deleted. This cannot be undone. To block the account temporarily, suspend it.
      </p>
    </ConfirmName>
  );
}
