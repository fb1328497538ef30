import type {
  CredentialKindListing,
  CredentialListing,
  CredentialsResponse,
} from "../../../../src/http/dashboard/contract/credentials.ts";
import type { Platform } from "../../../../src/posts/post.ts";
import { ConnectDialog } from "./connect-dialog.tsx";
import { DisconnectDialog } from "./disconnect-dialog.tsx";
import { credentialSubject, credentialTitle } from "./texts.ts";

export type OpenCredentialDialog =
  | { dialog: "connect"; platform: Platform; kind: string | null }
  | { dialog: "disconnect"; credential: CredentialListing }
  | null;

/** `onDone` receives the outcome as a sentence. */
export function CredentialDialog({
  openDialog,
  answer: { kinds },
  onClose,
  onDone,
}: {
  openDialog: NonNullable<OpenCredentialDialog>;
  answer: CredentialsResponse;
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
        onDone={() => onDone(`${title} is disconnected.`)}
      />
    );
  }
  const ofPlatform = kinds.filter(({ platform }) => platform === openDialog.platform);
  const first = firstOf(ofPlatform, openDialog.kind);
  if (first === undefined) return null;
  return (
    <ConnectDialog
      kinds={ofPlatform}
      first={first}
      onClose={onClose}
      onDone={(made) =>
        onDone(`${credentialTitle(made, kinds)} is connected: ${credentialSubject(made)}.`)
      }
    />
  );
}

const firstOf = (kinds: readonly CredentialKindListing[], kind: string | null) =>
  kinds.find((other) => other.kind === kind) ?? kinds[0];
