import { withoutEnding } from "@earshot/query/tree";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import type { CredentialKind, NewCredential } from "../../platforms/credential.ts";
import { authorizeCredential, makeCredential } from "../../upstream/credentials/make-credential.ts";
import { storeCredential } from "../../upstream/credentials/store-credential.ts";
import { wrongUse } from "../describe-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readFields } from "./credential-fields.ts";
import { findKind } from "./credential-kind-texts.ts";
import { listingAsJson, subjectText } from "./show-credential.ts";
import {
  type CredentialsContext,
  type ListCredentialKinds,
  withCredentials,
} from "./with-credentials.ts";

export type AddOptions = { account?: string; secrets?: string; json?: boolean };

export async function addCredential(
  [platform = "", kindName = "", ...words]: readonly string[],
  options: AddOptions,
  terminal: Terminal,
  listKinds: ListCredentialKinds,
): Promise<void> {
  if (platform.startsWith("-") || kindName.startsWith("-")) {
    throw wrongUse(
      "the platform and the kind must come first",
      "use credentials add PLATFORM KIND [options]",
    );
  }
  await withCredentials(terminal, listKinds, async (context) => {
    const kind = findKind(context.kinds, platform, kindName);
    const { account } = options;
    const accountId = account === undefined ? null : await context.findAccountId(account);
    const credential = await obtainCredential(kind, words, options, terminal, context);
    const id = await storeCredential(context, kind, accountId, credential);
    const [listing] = (await context.store.read("listCredentials", { accountId })).filter(
      ({ id: listedId }) => listedId === id,
    );
    if (listing === undefined) throw new Error(`credential ${id} disappeared`);
    if (options.json) {
      terminal.out(`${JSON.stringify(listingAsJson(listing, systemClock.now()))}\n`);
      return;
    }
    if (accountId === null && kind.sharing !== undefined) terminal.note(`${kind.sharing}\n`);
    const owner = accountId === null ? "the deployment" : `account ${options.account}`;
    terminal.out(
      stripControls(
        `credential ${id} stored: ${kind.platform} ${kind.name} of ${owner}, for ${subjectText(listing)}, secret ${credential.hint}…\n`,
      ),
    );
  });
}

async function obtainCredential(
  kind: CredentialKind,
  words: readonly string[],
  { secrets }: AddOptions,
  terminal: Terminal,
  { tools }: CredentialsContext,
): Promise<NewCredential> {
  const { authorization } = kind;
  if (authorization === undefined || secrets !== undefined) {
    const values = await readFields(kind.fields, words, secrets, terminal);
    return await makeCredential(kind, values, tools);
  }
  const { input } = terminal;
  if (input?.interactive !== true) {
    throw wrongUse(
      `${kind.platform} ${kind.name} requires a terminal to authorize it in a browser`,
      kind.fields.length === 0
        ? "run the command in a terminal"
        : "run the command in a terminal, or pass the secrets with --secrets -",
    );
  }
  const values = await readFields(authorization.fields, words, undefined, terminal);
  const dialogue = {
    show: (text: string) => terminal.note(`${stripControls(text).trimEnd()}\n`),
    prompt: async (question: string) =>
      (await input.ask(withoutEnding(stripControls(question), ": \n\r\t"))).trim(),
  };
  return await authorizeCredential(authorization, values, tools, dialogue);
}
