import { runOn } from "../../db/operations.ts";
import type { Config } from "../../server/config.ts";
import { openControlForReading } from "../../server/control/control-operations.ts";
import { credentialKinds } from "../../server/roles/credential-kinds.ts";
import { checkCredential } from "../../upstream/credentials/check-credential.ts";
import { createCredentialsInUse } from "../../upstream/credentials/credentials-in-use.ts";
import { credentialOperations } from "../../upstream/credentials/operations.ts";
import { subjectText } from "../credentials/show-credential.ts";
import { withCredentials } from "../credentials/with-credentials.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type DoctorFinding, ok } from "./finding.ts";

const noneStored = ok("credentials", "none stored");

export async function checkPlatformCredentials(
  terminal: Terminal,
  { data, database }: Pick<Config, "data" | "database">,
): Promise<DoctorFinding[]> {
  // Without credentials, a secret key is not required.
  if (database.url === null && !hasCredentials(data.dir)) return [noneStored];
  return await withCredentials(terminal, credentialKinds, async (context) => {
    const findings: DoctorFinding[] = [];
    const credentialsInUse = createCredentialsInUse(context);
    try {
      for (const listing of await context.store.read("listCredentials", null)) {
        terminal.stopSignal.throwIfAborted();
        const { works, message } = await checkCredential(listing, { ...context, credentialsInUse });
        const subject = `credential ${listing.id} (${listing.platform}, ${subjectText(listing)})`;
        const fix =
          "replace it with earshot credentials add, or delete it with earshot credentials remove";
        findings.push(works ? ok(subject, message) : { level: "error", subject, message, fix });
      }
    } finally {
      await credentialsInUse.stop();
    }
    return findings.length === 0 ? [noneStored] : findings;
  });
}

function hasCredentials(dataDir: string): boolean {
  const database = openControlForReading(dataDir);
  try {
    return runOn(credentialOperations.listCredentials, database, null).length > 0;
  } finally {
    database.close();
  }
}
