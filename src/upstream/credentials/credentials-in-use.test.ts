import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type CredentialBench,
  openCredentialBench,
} from "../../../testkit/upstreams/credentials.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { CredentialInUse, Secrets } from "../../platforms/credential.ts";
import { type CredentialsInUse, createCredentialsInUse } from "./credentials-in-use.ts";
import { decryptSecrets } from "./encrypt-secrets.ts";

let bench: CredentialBench;

beforeEach(async () => {
  bench = openCredentialBench();
  await bench.put("one", { secrets: { refreshToken: "first" } });
});

afterEach(() => bench.close());

function startProcess(store = bench.store): CredentialsInUse {
  return createCredentialsInUse({ store, encryptor: bench.encryptor, clock: bench.clock });
}

async function openIn(process: CredentialsInUse): Promise<CredentialInUse> {
  const storedCredential = await bench.store.read("readCredential", { id: "one" });
  if (storedCredential === null) throw new Error("the credential is missing");
  return process.open(storedCredential);
}

async function storedSecrets(): Promise<Secrets> {
  const storedCredential = await bench.store.read("readCredential", { id: "one" });
  if (storedCredential === null) throw new Error("the credential is missing");
  return decryptSecrets(
    bench.encryptor,
    storedCredential.credential,
    storedCredential.encryptedSecret,
  );
}

function rotation() {
  let currentToken = "first";
  let renewalCount = 0;
  return {
    count: () => renewalCount,
    make: async ({ refreshToken }: Secrets): Promise<Secrets> => {
      if (refreshToken !== currentToken)
        throw new EarshotError("credential_refused", "already used");
      renewalCount += 1;
      currentToken = `token ${renewalCount}`;
      await bench.clock.sleep(50);
      return { refreshToken: currentToken };
    },
  };
}

test("fifty concurrent callers renew a credential once, and all get the stored secret", async () => {
  const { make, count } = rotation();
  const credential = await openIn(startProcess());
  const seenSecrets = credential.secrets();
  const renewals = Promise.all(
    Array.from({ length: 50 }, async () => {
      const renewed = await credential.renew(seenSecrets, make);
      expect(await storedSecrets()).toEqual(renewed);
      return renewed;
    }),
  );
  await bench.clock.advance(50);
  expect(new Set((await renewals).map(({ refreshToken }) => refreshToken))).toEqual(
    new Set(["token 1"]),
  );
  expect(count()).toBe(1);
  expect(credential.secrets()).toEqual({ refreshToken: "token 1" });
});

test("all users of a credential in a process share a renewal, regardless of when they opened it", async () => {
  const { make, count } = rotation();
  const process = startProcess();
  const firstUser = await openIn(process);
  const secondUser = await openIn(process);
  const seenSecrets = secondUser.secrets();
  const renewals = Promise.all([
    firstUser.renew(seenSecrets, make),
    secondUser.renew(seenSecrets, make),
  ]);
  await bench.clock.advance(50);
  await renewals;
  expect(count()).toBe(1);
  expect(secondUser.secrets()).toEqual({ refreshToken: "token 1" });
});

test("a caller with outdated secrets gets the current ones without a renewal", async () => {
  const { make, count } = rotation();
  const credential = await openIn(startProcess());
  const seenSecrets = credential.secrets();
  const first = credential.renew(seenSecrets, make);
  await bench.clock.advance(50);
  await first;
  expect(await credential.renew(seenSecrets, make)).toEqual({ refreshToken: "token 1" });
  expect(await credential.renew({}, make)).toEqual({ refreshToken: "token 1" });
  expect(count()).toBe(1);
});

test("processes renew a credential in sequence: the second uses the first one's secret", async () => {
  const { make, count } = rotation();
  const server = await openIn(startProcess());
  const command = await openIn(startProcess());
  const renewals = Promise.all([
    server.renew(server.secrets(), make),
    command.renew(command.secrets(), make),
  ]);
  await bench.clock.advance(1_000);
  expect(await renewals).toEqual([{ refreshToken: "token 1" }, { refreshToken: "token 1" }]);
  expect(count()).toBe(1);
});

test("a process adopts another process's renewal instead of renewing again", async () => {
  const { make, count } = rotation();
  const server = await openIn(startProcess());
  const command = await openIn(startProcess());
  const first = command.renew(command.secrets(), make);
  await bench.clock.advance(50);
  await first;
  expect(await server.renew(server.secrets(), make)).toEqual({ refreshToken: "token 1" });
  expect(count()).toBe(1);
});

test("a dead process's claim to renew expires after a minute", async () => {
  await bench.store.write("claimRenewal", { id: "one", revision: 0, nowMs: bench.clock.now() });
  const { make } = rotation();
  const credential = await openIn(startProcess());
  let ended = false;
  const renewal = credential.renew(credential.secrets(), make).finally(() => {
    ended = true;
  });
  await bench.clock.advance(59_000);
  expect(ended).toBe(false);
  await bench.clock.advance(2_000);
  expect(await renewal).toEqual({ refreshToken: "token 1" });
});

test("a stopping process does not wait for another process's renewal", async () => {
  await bench.store.write("claimRenewal", { id: "one", revision: 0, nowMs: bench.clock.now() });
  const process = startProcess();
  const credential = await openIn(process);
  const renewal = credential.renew(credential.secrets(), async () => ({ refreshToken: "second" }));
  const outcome = expect(renewal).rejects.toMatchObject({ retryable: true });
  await bench.clock.advance(50);
  await process.stop();
  await outcome;
});

test("a renewal does not wait for a claim made before the clock was set back", async () => {
  const nowMs = bench.clock.now();
  await bench.store.write("claimRenewal", { id: "one", revision: 0, nowMs: nowMs + 3_600_000 });
  expect(await bench.store.write("claimRenewal", { id: "one", revision: 0, nowMs })).not.toBeNull();
});

test("a later caller with an earlier clock does not take over a claim to renew", async () => {
  const nowMs = bench.clock.now();
  await bench.store.write("claimRenewal", { id: "one", revision: 0, nowMs: nowMs + 5 });
  expect(await bench.store.write("claimRenewal", { id: "one", revision: 0, nowMs })).toBeNull();
});

test("a failed renewal changes nothing, and the next one can start immediately", async () => {
  const credential = await openIn(startProcess());
  const seenSecrets = credential.secrets();
  const failRenewal = async () => {
    throw new EarshotError("upstream_timeout", "no answer", { retryable: true });
  };
  const outcomes = await Promise.allSettled([
    credential.renew(seenSecrets, failRenewal),
    credential.renew(seenSecrets, failRenewal),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await storedSecrets()).toEqual({ refreshToken: "first" });
  expect(await credential.renew(seenSecrets, async () => ({ refreshToken: "second" }))).toEqual({
    refreshToken: "second",
  });
});

test("a new secret is not lost while the store rejects writes", async () => {
  let isFull = true;
  const store: typeof bench.store = {
    ...bench.store,
    write: async (name, args) => {
      if (isFull && name === "changeCredentialSecret") {
        throw new EarshotError("store_unavailable", "the disk is full", { retryable: true });
      }
      return await bench.store.write(name, args);
    },
  };
  const process = startProcess(store);
  const credential = await openIn(process);
  const seenSecrets = credential.secrets();
  let renewalCount = 0;
  const make = async () => {
    renewalCount += 1;
    return { refreshToken: `token ${renewalCount}` };
  };
  await expect(credential.renew(seenSecrets, make)).rejects.toMatchObject({
    code: "store_unavailable",
  });
  await expect(credential.renew(seenSecrets, make)).rejects.toMatchObject({
    code: "store_unavailable",
  });
  isFull = false;
  await process.stop();
  expect(await storedSecrets()).toEqual({ refreshToken: "token 1" });
  expect(await credential.renew(seenSecrets, make)).toEqual({ refreshToken: "token 1" });
  expect(renewalCount).toBe(1);
});

test("a removed credential is not renewed", async () => {
  const credential = await openIn(startProcess());
  await bench.store.write("removeCredential", { id: "one" });
  await expect(credential.renew(credential.secrets(), async () => ({}))).rejects.toMatchObject({
    code: "credential_refused",
    message: "the credential one was removed",
  });
});

test("a credential that was added again takes precedence over a pending renewal", async () => {
  const credential = await openIn(startProcess());
  const renewal = credential.renew(credential.secrets(), async () => {
    await bench.put("one", { secrets: { refreshToken: "added again" } });
    return { refreshToken: "renewed" };
  });
  expect(await renewal).toEqual({ refreshToken: "added again" });
  expect(await storedSecrets()).toEqual({ refreshToken: "added again" });
});
