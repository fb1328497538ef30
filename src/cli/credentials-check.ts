import { systemClock } from "../lib/clock.ts";
import { EarshotError, messageOf } from "../lib/errors.ts";
import { createHolder, type Holder } from "../platforms/credentials/hold.ts";
import { unknownCredential } from "../platforms/credentials/operations.ts";
import type { CredentialListing } from "../platforms/credentials/rows.ts";
import { shownReason } from "../platforms/credentials/without-secrets.ts";
import { withoutControls } from "../text/controls.ts";
import { type CredentialsFolder, type KindsOf, withCredentials } from "./credentials-folder.ts";
import { subjectOf } from "./show-credential.ts";
import type { Terminal } from "./terminal.ts";

export type CheckOptions = { json?: boolean };

type Outcome = { works: boolean; says: string; released: boolean };

/** `earshot credentials test`: asks the platforms whether credentials work; one that does is released from quarantine. */
export async function checkCredentials(
  id: string | undefined,
  { json }: CheckOptions,
  terminal: Terminal,
  kindsOf: KindsOf,
): Promise<void> {
  await withCredentials(terminal, kindsOf, async (folder) => {
    const all = await folder.store.read("listCredentials", null);
    const asked = id === undefined ? all : all.filter((one) => one.id === id);
    if (id !== undefined && asked.length === 0) throw unknownCredential(id);
    if (asked.length === 0) terminal.note("there is no credential yet\n");
    const holder = createHolder({ ...folder, clock: systemClock });
    let failed = 0;
    try {
      for (const listing of asked) {
        terminal.stopping.throwIfAborted();
        const outcome = await check(listing, holder, folder);
        if (!outcome.works) failed += 1;
        terminal.out(json ? asJson(listing, outcome) : asText(listing, outcome));
      }
    } finally {
      await holder.stop();
    }
    if (failed > 0) throw doNotWork(failed, asked.length);
  });
}

async function check(
  listing: CredentialListing,
  holder: Holder,
  { store, kinds, tools }: CredentialsFolder,
): Promise<Outcome> {
  const { id, platform, kind: name } = listing;
  try {
    const kind = kinds.find((one) => one.platform === platform && one.name === name);
    const stored = await store.read("readCredential", { id });
    if (kind === undefined) throw new Error(`${platform} has no kind ${name} any more`);
    if (stored === null) throw unknownCredential(id);
    const says = await kind.test(holder.hold(stored), tools);
    const released = await store.write("releaseCredential", { id });
    return { works: true, says: shownReason(says, holder.inUse(id)?.secrets ?? {}), released };
  } catch (thrown) {
    const held = holder.inUse(id);
    const says = shownReason(messageOf(thrown), held?.secrets ?? {});
    if (held !== null && thrown instanceof EarshotError && thrown.code === "credential_refused") {
      const { revision } = held;
      const nowMs = systemClock.now();
      await store.write("quarantineCredential", { id, revision, reason: says, nowMs });
    }
    return { works: false, says, released: false };
  }
}

function asText(listing: CredentialListing, { works, says, released }: Outcome): string {
  const { id, platform, kind } = listing;
  const result = works ? "ok" : "failed";
  const end = released ? "; it is released from quarantine" : "";
  return withoutControls(
    `${id} ${platform} ${kind}, ${subjectOf(listing)}: ${result}: ${says}${end}\n`,
  );
}

function asJson({ id, platform, kind }: CredentialListing, outcome: Outcome): string {
  const { works, says, released } = outcome;
  return `${JSON.stringify({ id, platform, kind, works, message: says, released })}\n`;
}

function doNotWork(failed: number, all: number): EarshotError {
  return new EarshotError("credentials_fail", `${failed} of ${all} credentials do not work`, {
    hint: "earshot credentials add makes one anew; earshot credentials remove ID ends it",
  });
}
