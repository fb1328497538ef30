import type { ResolvedNames } from "@earshot/query/plan";
import type { MethodArgs, MethodValue, Thread, ThreadPool } from "../../db/threads/thread.ts";
import { unlessAborted } from "../../lib/abortable-wait.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Post } from "../../posts/post.ts";
import type {
  Archive,
  ArchiveChange,
  Damage,
  ImportBatch,
  WriteBatch,
  WriteReport,
} from "../archive.ts";
import type { PreparationSettings } from "../bulk/prepare-posts.ts";
import { type PreparedChanges, startPreparation } from "../write/prepare.ts";
import type { ArchiveThreads } from "./archive-threads.ts";
import type { ReaderMethods } from "./reader-thread.ts";

/** Starts with the first call that waits for it. */
export class Verification {
  readonly #verify: () => Promise<void>;
  #ended: Promise<void> | null = null;
  #isDone = false;
  #error: unknown = null;

  constructor(verify: () => Promise<void>) {
    this.#verify = verify;
  }

  /** Errors: `archive_damaged`, `archive_unavailable`. */
  get ended(): Promise<void> {
    if (this.#ended !== null) return this.#ended;
    const ended = this.#verify();
    ended.then(
      () => {
        this.#isDone = true;
      },
      (error: unknown) => {
        this.#error = error;
      },
    );
    this.#ended = ended;
    return ended;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  throwIfFailed(): void {
    if (this.#error !== null) throw this.#error;
  }

  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#isDone) return;
    await (signal === undefined ? this.ended : unlessAborted(this.ended, signal));
  }
}

const genericCodes: readonly string[] = ["internal", "disk_error"];

/** Errors without a specific code (disk full, no access, damage) become `archive_unavailable`. */
export async function archiveErrors<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof EarshotError && genericCodes.includes(error.code))) throw error;
    throw new EarshotError("archive_unavailable", `the archive is unavailable: ${error.message}`, {
      status: 503,
      retryable: true,
      hint: "check the free space and permissions of the data folder",
      cause: error,
    });
  }
}

export type ArchiveReads = Pick<
  Archive,
  | "search"
  | "count"
  | "records"
  | "page"
  | "withheld"
  | "resolve"
  | "identify"
  | "ingestOrder"
  | "accountsToLookUp"
  | "accountsNamed"
  | "aliases"
  | "readCheckpoint"
  | "coverage"
  | "stats"
  | "ping"
  | "onDamage"
>;

const noNames: ResolvedNames = { accounts: new Map(), posts: new Map() };

export function createArchiveReads(
  readers: ThreadPool<ReaderMethods>,
  verification: Verification,
  maxBytes: number,
): ArchiveReads {
  const damageListeners: ((damage: readonly Damage[]) => void)[] = [];

  async function send<Name extends keyof ReaderMethods>(
    method: Name,
    args: MethodArgs<ReaderMethods[Name]>,
    signal?: AbortSignal,
    target: Pick<Thread<ReaderMethods>, "call"> = readers,
  ): Promise<MethodValue<ReaderMethods[Name]>> {
    await verification.wait(signal);
    return await archiveErrors(target.call(method, args, { signal }));
  }

  function reportDamage<Answer extends { damage: readonly Damage[] }>(answer: Answer): Answer {
    if (answer.damage.length > 0) for (const listener of damageListeners) listener(answer.damage);
    return answer;
  }

  return {
    search: async (request, signal) => reportDamage(await send("search", request, signal)),
    // Counts always go to the same reader, which caches them.
    count: async (request, signal) =>
      reportDamage(await send("count", request, signal, readers.last)),
    records: async (positions) => reportDamage(await send("records", positions)),
    page: async (positions) => reportDamage(await send("page", positions)),
    withheld: async (names) => (names.length === 0 ? [] : await send("withheld", names)),
    resolve: async (names) =>
      names.accounts.length + names.posts.length === 0 ? noNames : await send("resolve", names),
    identify: async (posts) => (posts.length === 0 ? [] : await send("identify", posts)),
    ingestOrder: async (after, limit) => await send("ingestOrder", { after, limit }),
    accountsToLookUp: async (platform, beforeMs, limit) =>
      await send("accountsToLookUp", { platform, beforeMs, limit }),
    accountsNamed: async (name) => await send("accountsNamed", name),
    aliases: async (platform, below, limit) => await send("aliases", { platform, below, limit }),
    readCheckpoint: async (name) => await send("readCheckpoint", name),
    coverage: async () => await send("coverage", null),
    stats: async () => await send("stats", { maxBytes }),
    ping: async () => {
      verification.throwIfFailed();
      await archiveErrors(readers.call("coverage", null));
    },
    onDamage: (listener) => {
      damageListeners.push(listener);
    },
  };
}

type WritesContext = {
  threads: Pick<ArchiveThreads, "writer" | "languages">;
  verification: Verification;
  preparation: PreparationSettings;
  clock: Clock;
};

const sliceMs = 8;

/** Analyses each batch on the caller's thread while the previous one is being written. */
export class ArchiveWrites {
  readonly #context: WritesContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: WritesContext) {
    this.#context = context;
  }

  write = (batch: WriteBatch): Promise<WriteReport> =>
    this.#queue(this.#writeAfter(this.#last, batch));

  importPosts = (batch: ImportBatch): Promise<WriteReport> =>
    this.#queue(this.#importAfter(this.#last, batch));

  finishImport = async (): Promise<void> => {
    const { verification, threads } = this.#context;
    await verification.wait();
    await this.#last;
    await archiveErrors(threads.writer.call("finishImport", null));
  };

  withLanguages = async (posts: readonly Post[]): Promise<readonly Post[]> => {
    const changes = await this.#addLanguages(posts.map((post) => ({ kind: "upsert", post })));
    return changes.flatMap((change) => (change.kind === "upsert" ? [change.post] : []));
  };

  #queue(write: Promise<WriteReport>): Promise<WriteReport> {
    this.#last = write;
    const forget = (): void => {
      if (this.#last === write) this.#last = Promise.resolve();
    };
    write.then(forget, () => setImmediate(forget));
    return write;
  }

  async #writeAfter(
    previous: Promise<unknown>,
    { changes, checkpoints = [], coverage = [] }: WriteBatch,
  ): Promise<WriteReport> {
    const { verification, threads } = this.#context;
    const preparedChanges = await this.#prepare(await this.#addLanguages(changes));
    await previous;
    await verification.wait();
    const batch = { ...preparedChanges, checkpoints, coverage };
    return await archiveErrors(threads.writer.call("write", batch));
  }

  async #importAfter(previous: Promise<unknown>, batch: ImportBatch): Promise<WriteReport> {
    const { verification, threads } = this.#context;
    await verification.wait();
    await previous;
    const buffer = batch.posts?.buffer;
    const transferList = buffer instanceof ArrayBuffer ? [buffer] : [];
    return await archiveErrors(threads.writer.call("import", batch, { transferList }));
  }

  async #addLanguages(changes: readonly ArchiveChange[]): Promise<readonly ArchiveChange[]> {
    const { preparation, threads } = this.#context;
    if (preparation.detectLanguage === "off") return changes;
    return await withLanguages(changes, (texts) =>
      archiveErrors(threads.languages.call("detect", texts)),
    );
  }

  async #prepare(changes: readonly ArchiveChange[]): Promise<PreparedChanges> {
    const { preparation: settings, clock } = this.#context;
    const preparation = startPreparation(settings.uriKey, clock.now());
    let sliceEndMs = clock.elapsed() + sliceMs;
    for (const change of changes) {
      preparation.add(change);
      if (clock.elapsed() < sliceEndMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceEndMs = clock.elapsed() + sliceMs;
    }
    return preparation.prepared();
  }
}

/** `detect` returns a language or null for each text, in order. It is called at most once. */
async function withLanguages(
  changes: readonly ArchiveChange[],
  detect: (texts: readonly string[]) => Promise<readonly (string | null)[]>,
): Promise<readonly ArchiveChange[]> {
  const upsertsWithoutLanguage = changes.filter(lacksLanguage);
  if (upsertsWithoutLanguage.length === 0) return changes;
  const detectedLanguages = await detect(upsertsWithoutLanguage.map(({ post }) => post.text));
  const languages = new Map(
    upsertsWithoutLanguage.map(({ post }, index) => [post, detectedLanguages[index] ?? null]),
  );
  return changes.map((change) =>
    lacksLanguage(change) ? withLanguage(change, languages.get(change.post) ?? null) : change,
  );
}

type Upsert = ArchiveChange & { kind: "upsert" };

function lacksLanguage(change: ArchiveChange): change is Upsert {
  if (change.kind !== "upsert") return false;
  return change.post.langs.length === 0 && change.post.detectedLang === null;
}

function withLanguage(change: Upsert, detectedLang: string | null): Upsert {
  return { ...change, post: { ...change.post, detectedLang } };
}
