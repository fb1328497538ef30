import { withoutEnding } from "@earshot/query/tree";
import { type RandomBytes, randomBase62 } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Dialogue } from "../../platforms/credential.ts";
import { tooManyAttempts } from "./errors.ts";

export type AuthorizationSettings = {
  authorizationMs: number;
  maxAuthorizationsPerAccount: number;
  maxAuthorizations: number;
};

export type DialogueStep<Made> =
  | { state: "question"; id: string; texts: readonly string[]; question: string }
  | { state: "done"; made: Made };

/** Browser dialogues that authorise a credential. They exist only in memory. */
export type Authorizations<Made> = {
  /**
   * Runs until the first question or the end. At the account's maximum, first ends its oldest
   * dialogue. Errors: `too_many_attempts`; those of `run`.
   */
  begin(accountId: string, run: (dialogue: Dialogue) => Promise<Made>): Promise<DialogueStep<Made>>;
  /** Errors: `authorization_not_found`; those of `run`. */
  answer(accountId: string, id: string, answer: string): Promise<DialogueStep<Made>>;
  stop(): Promise<void>;
};

type PendingAuthorization<Made> = {
  id: string;
  accountId: string;
  texts: string[];
  /** Null while `run` is working. */
  reply: PromiseWithResolvers<string> | null;
  nextStep: PromiseWithResolvers<DialogueStep<Made>>;
  run: Promise<void>;
  endController: AbortController;
};

const idLength = 22;

type Context = { clock: Clock; randomBytes: RandomBytes; settings: AuthorizationSettings };

export function createAuthorizations<Made>({
  clock,
  randomBytes,
  settings,
}: Context): Authorizations<Made> {
  const pendingAuthorizations = new Map<string, PendingAuthorization<Made>>();

  async function begin(
    accountId: string,
    run: (dialogue: Dialogue) => Promise<Made>,
  ): Promise<DialogueStep<Made>> {
    makeRoom(accountId);
    const pending: PendingAuthorization<Made> = {
      id: randomBase62(idLength, randomBytes),
      accountId,
      texts: [],
      reply: null,
      nextStep: Promise.withResolvers(),
      run: Promise.resolve(),
      endController: new AbortController(),
    };
    pendingAuthorizations.set(pending.id, pending);
    pending.run = finish(pending, run(makeDialogue(pending)));
    clock.sleep(settings.authorizationMs, pending.endController.signal).then(
      () => end(pending),
      () => null,
    );
    return await pending.nextStep.promise;
  }

  function makeRoom(accountId: string): void {
    const accountAuthorizations = [...pendingAuthorizations.values()].filter(
      (pending) => pending.accountId === accountId,
    );
    if (accountAuthorizations.length >= settings.maxAuthorizationsPerAccount) {
      const oldest = accountAuthorizations.find(({ reply }) => reply !== null);
      if (oldest === undefined) throw tooManyAttempts("finish a pending one");
      end(oldest);
    }
    if (pendingAuthorizations.size >= settings.maxAuthorizations)
      throw tooManyAttempts("retry later");
  }

  function makeDialogue(pending: PendingAuthorization<Made>): Dialogue {
    return {
      show: (text) => {
        pending.texts.push(stripControls(text).trim());
      },
      prompt: async (question) => {
        pending.endController.signal.throwIfAborted();
        const { id, texts } = pending;
        pending.texts = [];
        pending.reply = Promise.withResolvers();
        const prompt = withoutEnding(stripControls(question), ": \n\r\t");
        pending.nextStep.resolve({ state: "question", id, texts, question: prompt });
        return await pending.reply.promise;
      },
    };
  }

  async function finish(pending: PendingAuthorization<Made>, run: Promise<Made>): Promise<void> {
    try {
      const made = await run;
      pending.nextStep.resolve({ state: "done", made });
    } catch (thrown) {
      pending.nextStep.reject(thrown);
    } finally {
      pendingAuthorizations.delete(pending.id);
      pending.endController.abort();
    }
  }

  async function answer(accountId: string, id: string, text: string): Promise<DialogueStep<Made>> {
    const pending = pendingAuthorizations.get(id);
    if (pending === undefined || pending.accountId !== accountId) throw notFound();
    const { reply } = pending;
    // A repeated answer gets the same outcome.
    if (reply === null) return await pending.nextStep.promise;
    pending.reply = null;
    pending.nextStep = Promise.withResolvers();
    reply.resolve(text.trim());
    return await pending.nextStep.promise;
  }

  /** A `run` that is working continues, because the platform may have issued a one-time code. */
  function end(pending: PendingAuthorization<Made>): void {
    pending.endController.abort(notFound());
    if (pending.reply === null) return;
    pendingAuthorizations.delete(pending.id);
    pending.reply.reject(notFound());
  }

  async function stop(): Promise<void> {
    const openAuthorizations = [...pendingAuthorizations.values()];
    for (const pending of openAuthorizations) end(pending);
    await Promise.all(openAuthorizations.map(({ run }) => run));
  }

  return { begin, answer, stop };
}

const notFound = (): EarshotError =>
  new EarshotError("authorization_not_found", "the connection attempt has ended", {
    status: 404,
    hint: "start again: an attempt ends after a timeout, an error or a restart of the server",
  });
