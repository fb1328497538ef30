import type { CredentialListing } from "../../../../src/http/dashboard/contract/credentials.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { platformNames } from "../../platforms.ts";
import { credentialSubject, platformTexts } from "./texts.ts";

export function DisconnectDialog({
  credential,
  title,
  onClose,
  onDone,
}: {
  credential: CredentialListing;
  title: string;
  onClose(): void;
  onDone(): Promise<void>;
}) {
  const { isPending, problem, run } = useAction();
  const name = platformNames[credential.platform];
  const { revocation } = platformTexts[credential.platform];
  const disconnect = () =>
    run(async () => {
      await api.delete(`/dashboard/api/credentials/${credential.id}`);
      await onDone();
    });
  return (
    <Dialog title={`Disconnect ${title}?`} onClose={onClose} onSubmit={() => void disconnect()}>
      <p className="soft">
        {credentialSubject(credential)}, with a secret that begins with{" "}
        <code>{credential.hint}</code>. Earshot deletes it immediately.
      </p>
      <p>
        {name} still accepts copies of it. Revoke it there too, {revocation}.
      </p>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Keep it
        </Button>
        <Button type="submit" variant="destroy" disabled={isPending}>
          Disconnect
        </Button>
      </div>
    </Dialog>
  );
}
