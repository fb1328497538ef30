import type {
  CredentialKindListing,
  CredentialListing,
  CredentialsResponse,
} from "../../../../src/http/dashboard/contract/credentials.ts";
import type { Platform } from "../../../../src/posts/post.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { platformNames } from "../../platforms.ts";
import { ConnectDialog } from "./connect-dialog.tsx";
import { credentialSubject, credentialTitle, platformTexts } from "./texts.ts";

export type OpenCredentialDialog =
  | { dialog: "connect"; platform: Platform; kind: string | null }
  | { dialog: "disconnect"; credential: CredentialListing }
  | null;

/** `onDone` receives the outcome as a sentence. */
export function CredentialDialog({
  openDialog,
  response: { kinds },
  onClose,
  onDone,
}: {
  openDialog: NonNullable<OpenCredentialDialog>;
  response: CredentialsResponse;
  onClose(): void;
  onDone(announcement: string): Promise<void>;
}) {
  if (openDialog.dialog === "disconnect") {
    const { credential } = openDialog;
    const title = credentialTitle(credential, kinds);
    return (
      <DisconnectDialog
        credential={credential}
        title={title}
        onClose={onClose}
        onDone={() => onDone(`${title} has been disconnected.`)}
      />
    );
  }
  const platformKinds = kinds.filter(({ platform }) => platform === openDialog.platform);
  const initialKind = findInitialKind(platformKinds, openDialog.kind);
  if (initialKind === undefined) return null;
  return (
    <ConnectDialog
      kinds={platformKinds}
      initialKind={initialKind}
      onClose={onClose}
      onDone={(made) =>
        onDone(`${credentialTitle(made, kinds)} has been connected: ${credentialSubject(made)}.`)
      }
    />
  );
}

const findInitialKind = (kinds: readonly CredentialKindListing[], kind: string | null) =>
  kinds.find((other) => other.kind === kind) ?? kinds[0];

function DisconnectDialog({
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
        <code>{credential.hint}</code>. Earshot will delete it immediately.
      </p>
      <p>
        {name} will still accept copies of it. Revoke it there too, {revocation}.
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
