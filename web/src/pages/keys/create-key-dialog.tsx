import { useState } from "preact/compat";
import type {
  KeyLimitsResponse,
  NewKeyResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { api } from "../../api.ts";
import { useAction } from "../../components/use-action.ts";
import { isolateBidi } from "../../isolate-bidi.ts";
import { useSignedIn } from "../../session.tsx";
import { storeFreshKey } from "./fresh-key.ts";
import { emptyKeyForm, formToRequest } from "./key-form.ts";
import { KeyFormDialog } from "./key-form-dialog.tsx";

export type DialogCallbacks = { onClose(): void; onDone(): Promise<void> };

export function CreateKeyDialog({
  limits,
  onClose,
  onDone,
}: DialogCallbacks & { limits: KeyLimitsResponse }) {
  const { account } = useSignedIn();
  const submission = useAction();
  const [form, setForm] = useState(emptyKeyForm);
  const create = () =>
    submission.run(async () => {
      const response = await api.post<NewKeyResponse>(
        "/dashboard/api/keys",
        formToRequest(form, Date.now()),
      );
      onClose();
      storeFreshKey({
        ...response,
        accountId: account.id,
        title: `New key ${isolateBidi(response.key.name)}: copy it now`,
        callTitle: "Example request",
      });
      await onDone();
    });
  return (
    <KeyFormDialog
      title="Create a key"
      action="Create key"
      form={form}
      onChange={setForm}
      limits={limits}
      submission={submission}
      onClose={onClose}
      onSubmit={create}
    />
  );
}
