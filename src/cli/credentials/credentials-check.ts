import { stripControls } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import {
  type CheckedCredential,
  checkCredential,
} from "../../upstream/credentials/check-credential.ts";
import { createCredentialsInUse } from "../../upstream/credentials/credentials-in-use.ts";
import { unknownCredential } from "../../upstream/credentials/operations.ts";
import type { ListedCredential } from "../../upstream/credentials/rows.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type KindsOf, withCredentials } from "./credentials-folder.ts";
import { subjectText } from "./show-credential.ts";

export type CheckOptions = { json?: boolean };

export async function checkCredentials(
  id: string | undefined,
  { json }: CheckOptions,
  terminal: Terminal,
  listKinds: KindsOf,
): Promise<void> {
  await withCredentials(terminal, listKinds, async (context) => {
    const all = await context.store.read("listCredentials", null);
    const requested = id === undefined ? all : all.filter((credential) => credential.id === id);
    if (id !== undefined && requested.length === 0) throw unknownCredential(id);
    if (requested.length === 0) terminal.note("no credentials yet\n");
    const credentialsInUse = createCredentialsInUse(context);
    let failed = 0;
    try {
      for (const listing of requested) {
        terminal.stopping.throwIfAborted();
        const outcome = await checkCredential(listing, { ...context, credentialsInUse });
        if (!outcome.works) failed += 1;
        terminal.out(json ? asJson(listing, outcome) : asText(listing, outcome));
      }
    } finally {
      await credentialsInUse.stop();
    }
    if (failed > 0) throw credentialsFailed(failed, requested.length);
  });
}

function asText(
  listing: ListedCredential,
  { works, message: text, isQuarantineLifted }: CheckedCredential,
): string {
  const { id, platform, kind } = listing;
  const result = works ? "ok" : "failed";
  const end = isQuarantineLifted ? "; released from quarantine" : "";
  return stripControls(
    `${id} ${platform} ${kind}, ${subjectText(listing)}: ${result}: ${text}${end}\n`,
  );
}

function asJson({ id, platform, kind }: ListedCredential, outcome: CheckedCredential): string {
  const { works, message: text, isQuarantineLifted } = outcome;
  return `${JSON.stringify({ id, platform, kind, works, message: text, released: isQuarantineLifted })}\n`;
}

function credentialsFailed(failed: number, all: number): EarshotError {
  return new EarshotError("credentials_fail", `${failed} of ${all} credentials failed`, {
    hint: "replace them with earshot credentials add, or delete them with earshot credentials remove",
  });
}
