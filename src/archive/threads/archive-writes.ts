import type { Clock } from "../../lib/clock.ts";
import type { Post } from "../../posts/post.ts";
import type { ArchiveChange, ImportBatch, WriteBatch, WriteReport } from "../archive.ts";
import type { PreparationSettings } from "../bulk/prepare-posts.ts";
import { type PreparedChanges, startPreparation } from "../write/prepare.ts";
import { archiveErrors, type Verification } from "./archive-calls.ts";
import type { ArchiveThreads } from "./archive-threads.ts";

type WritesContext = {
  threads: Pick<ArchiveThreads, "writer" | "languages">;
  verification: Verification;
  preparation: PreparationSettings;
  clock: Clock;
};

const sliceMs = 8;

/** Analyses each batch on the caller's thread while the previous one is written. */
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
    const changes = await this.#languagesOf(posts.map((post) => ({ kind: "upsert", post })));
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
    const prepared = await this.#prepare(await this.#languagesOf(changes));
    await previous;
    await verification.wait();
    const batch = { ...prepared, checkpoints, coverage };
    return await archiveErrors(threads.writer.call("write", batch));
  }

  async #importAfter(previous: Promise<unknown>, batch: ImportBatch): Promise<WriteReport> {
    const { verification, threads } = this.#context;
    await verification.wait();
    await previous;
    const buffer = batch.posts?.buffer;
    const transferred = buffer instanceof ArrayBuffer ? [buffer] : [];
    return await archiveErrors(threads.writer.call("import", batch, { transferred }));
  }

  async #languagesOf(changes: readonly ArchiveChange[]): Promise<readonly ArchiveChange[]> {
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

/** `detect` returns a language or null for each text, in order; called at most once. */
async function withLanguages(
  changes: readonly ArchiveChange[],
  detect: (texts: readonly string[]) => Promise<readonly (string | null)[]>,
): Promise<readonly ArchiveChange[]> {
  const withoutLanguage = changes.filter(lacksLanguage);
  if (withoutLanguage.length === 0) return changes;
  const detected = await detect(withoutLanguage.map(({ post }) => post.text));
  const languages = new Map(
    withoutLanguage.map(({ post }, index) => [post, detected[index] ?? null]),
  );
  return changes.map((change) =>
    lacksLanguage(change) ? inLanguage(change, languages.get(change.post) ?? null) : change,
  );
}

type Upsert = ArchiveChange & { kind: "upsert" };

function lacksLanguage(change: ArchiveChange): change is Upsert {
  if (change.kind !== "upsert") return false;
  return change.post.langs.length === 0 && change.post.detectedLang === null;
}

function inLanguage(change: Upsert, detectedLang: string | null): Upsert {
  return { ...change, post: { ...change.post, detectedLang } };
}
