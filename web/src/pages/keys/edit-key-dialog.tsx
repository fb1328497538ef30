import { useState } from "preact/compat";
import type {
  KeyLimitsAnswer,
  KeyListingAnswer,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { api } from "../../api.ts";
import { useAction } from "../../components/use-action.ts";
import type { DialogCallbacks } from "./create-key-dialog.tsx";
import { changesOfForm, formOfKey } from "./key-form.ts";
import { KeyFormDialog } from "./key-form-dialog.tsx";

export function EditKeyDialog({
  current,
  limits,
  onClose,
  onDone,
}: DialogCallbacks & { current: KeyListingAnswer; limits: KeyLimitsAnswer }) {
  const requested = useAction();
  const [was] = useState(() => formOfKey(current));
  const [form, setForm] = useState(was);
  const save = () =>
    requested.run(async () => {
      await api.patch(`/dashboard/api/keys/${current.id}`, changesOfForm(form, was, Date.now()));
      onClose();
      await onDone();
    });
  return (
    <KeyFormDialog
      title={
        <>
          Edit <bdi>{current.name}</bdi>
        </>
      }
      action="Save changes"
      form={form}
      onChange={setForm}
      limits={limits}
      requested={requested}
      onClose={onClose}
      onSubmit={save}
    />
  );
}
