import { stripControls } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import {
  type CredentialCheck,
  checkCredential,
} from "../../upstream/credentials/check-credential.ts";
import { createCredentialsInUse } from "../../upstream/credentials/credentials-in-use.ts";
import { unknownCredential } from "../../upstream/credentials/operations.ts";
import type { ListedCredential } from "../../upstream/credentials/rows.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { subjectText } from "./show-credential.ts";
import { type ListCredentialKinds, withCredentials } from "./with-credentials.ts";

export type CheckOptions = { json?: boolean };

export async function checkCredentials(
  id: string | undefined,
  { json }: CheckOptions,
  terminal: Terminal,
  listKinds: ListCredentialKinds,
): Promise<void> {
  await withCredentials(terminal, listKinds, async (context) => {
    const listings = await context.store.read("listCredentials", null);
    const requestedListings =
      id === undefined ? listings : listings.filter((credential) => credential.id === id);
    if (id !== undefined && requestedListings.length === 0) throw unknownCredential(id);
    if (requestedListings.length === 0) terminal.note("no credentials yet\n");
    const credentialsInUse = createCredentialsInUse(context);
    let failedCount = 0;
    try {
      for (const listing of requestedListings) {
        terminal.stopSignal.throwIfAborted();
        const outcome = await checkCredential(listing, { ...context, credentialsInUse });
        if (!outcome.works) failedCount += 1;
        terminal.out(json ? asJson(listing, outcome) : asText(listing, outcome));
      }
    } finally {
      await credentialsInUse.stop();
    }
    if (failedCount > 0) throw credentialsFailed(failedCount, requestedListings.length);
  });
}

function asText(
  listing: ListedCredential,
  { works, message: text, isQuarantineLifted }: CredentialCheck,
): string {
  const { id, platform, kind } = listing;
  const result = works ? "ok" : "failed";
  const suffix = isQuarantineLifted ? "; released from quarantine" : "";
  return stripControls(
    `${id} ${platform} ${kind}, ${subjectText(listing)}: ${result}: ${text}${suffix}\n`,
  );
}

function asJson({ id, platform, kind }: ListedCredential, outcome: CredentialCheck): string {
  const { works, message: text, isQuarantineLifted } = outcome;
  return `${JSON.stringify({ id, platform, kind, works, message: text, released: isQuarantineLifted })}\n`;
}

function credentialsFailed(failedCount: number, totalCount: number): EarshotError {
  return new EarshotError(
    "credentials_fail",
    `${failedCount} of ${totalCount} credentials failed`,
    {
      hint: "replace them with earshot credentials add, or delete them with earshot credentials remove",
    },
  );
}
