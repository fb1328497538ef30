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

type Pending<Made> = {
  id: string;
  accountId: string;
  texts: string[];
  /** Null while `run` is working. */
  reply: PromiseWithResolvers<string> | null;
  next: PromiseWithResolvers<DialogueStep<Made>>;
  run: Promise<void>;
  ended: AbortController;
};

const idLength = 22;

type Context = { clock: Clock; randomBytes: RandomBytes; settings: AuthorizationSettings };

export function createAuthorizations<Made>({
  clock,
  randomBytes,
  settings,
}: Context): Authorizations<Made> {
  const pendings = new Map<string, Pending<Made>>();

  async function begin(
    accountId: string,
    run: (dialogue: Dialogue) => Promise<Made>,
  ): Promise<DialogueStep<Made>> {
    makeRoom(accountId);
    const pending: Pending<Made> = {
      id: randomBase62(idLength, randomBytes),
      accountId,
      texts: [],
      reply: null,
      next: Promise.withResolvers(),
      run: Promise.resolve(),
      ended: new AbortController(),
    };
    pendings.set(pending.id, pending);
    pending.run = finish(pending, run(makeDialogue(pending)));
    clock.sleep(settings.authorizationMs, pending.ended.signal).then(
      () => end(pending),
      () => null,
    );
    return await pending.next.promise;
  }

  function makeRoom(accountId: string): void {
    const own = [...pendings.values()].filter((pending) => pending.accountId === accountId);
    if (own.length >= settings.maxAuthorizationsPerAccount) {
      const oldest = own.find(({ reply }) => reply !== null);
      if (oldest === undefined) throw tooManyAttempts("finish a pending one");
      end(oldest);
    }
    if (pendings.size >= settings.maxAuthorizations) throw tooManyAttempts("retry later");
  }

  function makeDialogue(pending: Pending<Made>): Dialogue {
    return {
      show: (text) => {
        pending.texts.push(stripControls(text).trim());
      },
      prompt: async (question) => {
        pending.ended.signal.throwIfAborted();
        const { id, texts } = pending;
        pending.texts = [];
        pending.reply = Promise.withResolvers();
        const prompt = withoutEnding(stripControls(question), ": \n\r\t");
        pending.next.resolve({ state: "question", id, texts, question: prompt });
        return await pending.reply.promise;
      },
    };
  }

  async function finish(pending: Pending<Made>, run: Promise<Made>): Promise<void> {
    try {
      const made = await run;
      pending.next.resolve({ state: "done", made });
    } catch (thrown) {
      pending.next.reject(thrown);
    } finally {
      pendings.delete(pending.id);
      pending.ended.abort();
    }
  }

  async function answer(accountId: string, id: string, text: string): Promise<DialogueStep<Made>> {
    const pending = pendings.get(id);
    if (pending === undefined || pending.accountId !== accountId) throw notFound();
    const { reply } = pending;
    // A repeated answer gets the same outcome.
    if (reply === null) return await pending.next.promise;
    pending.reply = null;
    pending.next = Promise.withResolvers();
    reply.resolve(text.trim());
    return await pending.next.promise;
  }

  /** A `run` that is working continues, because the platform may have issued a one-time code. */
  function end(pending: Pending<Made>): void {
    pending.ended.abort(notFound());
    if (pending.reply === null) return;
    pendings.delete(pending.id);
    pending.reply.reject(notFound());
  }

  async function stop(): Promise<void> {
    const all = [...pendings.values()];
    for (const pending of all) end(pending);
    await Promise.all(all.map(({ run }) => run));
  }

  return { begin, answer, stop };
}

const notFound = (): EarshotError =>
  new EarshotError("authorization_not_found", "the connection attempt has ended", {
    status: 404,
    hint: "start again: an attempt ends after a timeout, an error or a restart of the server",
  });
