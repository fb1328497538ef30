import { useState } from "preact/compat";
import type {
  KeyLimitsResponse,
  KeyListingResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { api } from "../../api.ts";
import { useAction } from "../../components/use-action.ts";
import type { DialogCallbacks } from "./create-key-dialog.tsx";
import { formChanges, keyToForm } from "./key-form.ts";
import { KeyFormDialog } from "./key-form-dialog.tsx";

export function EditKeyDialog({
  listing,
  limits,
  onClose,
  onDone,
}: DialogCallbacks & { listing: KeyListingResponse; limits: KeyLimitsResponse }) {
  const submission = useAction();
  const [initialForm] = useState(() => keyToForm(listing));
  const [form, setForm] = useState(initialForm);
  const save = () =>
    submission.run(async () => {
      await api.patch(
        `/dashboard/api/keys/${listing.id}`,
        formChanges(form, initialForm, Date.now()),
      );
      onClose();
      await onDone();
    });
  return (
    <KeyFormDialog
      title={
        <>
          Edit <bdi>{listing.name}</bdi>
        </>
      }
      action="Save changes"
      form={form}
      onChange={setForm}
      limits={limits}
      submission={submission}
      onClose={onClose}
      onSubmit={save}
    />
  );
}
