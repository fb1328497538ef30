import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalStore } from "../../src/db/local-store.ts";
import { controlMigrations } from "../../src/db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../src/db/open.ts";
import type { Store } from "../../src/db/operations.ts";
import { createEncryptor, type Encryptor } from "../../src/lib/encryption.ts";
import { createManualClock, type ManualClock } from "../../src/lib/manual-clock.ts";
import type { CredentialKind, Secrets } from "../../src/platforms/credential.ts";
import {
  createCredentialPool,
  type PoolContext,
} from "../../src/upstream/credentials/create-pool.ts";
import { encryptSecrets } from "../../src/upstream/credentials/encrypt-secrets.ts";
import {
  type CredentialOperations,
  credentialOperations,
  type StoredSecretCredential,
} from "../../src/upstream/credentials/operations.ts";

export type CredentialBench = {
  folder: string;
  database: SqliteDatabase;
  store: Store<CredentialOperations>;
  clock: ManualClock;
  encryptor: Encryptor;
  put(id: string, values?: Partial<StoredSecretCredential> & { secrets?: Secrets }): Promise<void>;
  pool(context?: Partial<PoolContext>): ReturnType<typeof createCredentialPool>;
  close(): void;
};

/** The bytes are reproducible; a repeated nonce harms no test. */
const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(7);

export function openCredentialBench(): CredentialBench {
  const folder = mkdtempSync(join(tmpdir(), "earshot-credentials-"));
  const database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  const store = createLocalStore(database, credentialOperations);
  const clock = createManualClock();
  const encryptor = createEncryptor(bytes(32), bytes);
  for (const id of ["ann", "ben"]) {
    database.run("INSERT INTO account(id, name, created_ms) VALUES(:id, :id, 1)", { id });
  }

  const put: CredentialBench["put"] = async (
    id,
    { secrets = { token: `${id}-token` }, ...values } = {},
  ) => {
    const accountId = values.accountId ?? null;
    await store.write("putCredential", {
      id,
      accountId,
      platform: "x",
      kind: "app-token",
      host: "https://api.x.example",
      subject: null,
      subjectName: null,
      hint: id,
      encryptedSecret: encryptSecrets(encryptor, { id, accountId }, secrets),
      maxOfOwner: 100,
      nowMs: clock.now(),
      ...values,
    });
  };

  return {
    folder,
    database,
    store,
    clock,
    encryptor,
    put,
    pool: (context = {}) =>
      createCredentialPool({
        store,
        encryptor,
        kinds,
        fetch: noFetch,
        clock,
        randomBytes: bytes,
        ...context,
      }),
    close: () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const noFetch: PoolContext["fetch"] = async () => {
  throw new Error("unexpected request");
};

const kinds: readonly CredentialKind[] = (["app", "user"] as const).map((access) => ({
  platform: "x",
  name: `${access}-token`,
  access,
  title: "a kind",
  purpose: "Reads.",
  description: "",
  fields: [],
  make: async () => {
    throw new Error("unexpected call");
  },
  test: async () => "",
  send: async () => {
    throw new Error("unexpected request");
  },
}));
