import { Headers } from "undici";
import { expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { type AccountDirectory, findAccount } from "./find-account.ts";
import type { XrpcFetch } from "./xrpc.ts";

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const otherDid = "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb";
const appview =
  "https://appview.example/xrpc/com.atproto.identity.resolveHandle?handle=ann.example";
const wellKnown = "https://ann.example/.well-known/atproto-did";

const makeDocument = (id: string, handle = "ann.example") => ({
  id,
  alsoKnownAs: [`at://${handle}`],
  service: [
    {
      id: "#atproto_pds",
      type: "AtprotoPersonalDataServer",
      serviceEndpoint: "https://pds.example",
    },
  ],
});

function directory(
  responses: Record<string, unknown>,
  names: Record<string, string[][]> = {},
): AccountDirectory & { requests: string[] } {
  const requests: string[] = [];
  const get: XrpcFetch["get"] = async (url) => {
    requests.push(url.href);
    const output = responses[url.href];
    if (output === undefined) throw new EarshotError("upstream_unreachable", "gone");
    const status = typeof output === "number" ? output : 200;
    const text = () => (typeof output === "string" ? output : JSON.stringify(output));
    const json = (): unknown => JSON.parse(text());
    return { status, headers: new Headers(), body: new Uint8Array(), text, json };
  };
  return {
    requests,
    fetch: { get },
    resolveTxt: async (name) => {
      requests.push(name);
      const records = names[name];
      if (records === undefined) throw new Error("ENOTFOUND");
      return records;
    },
    appviewUrl: "https://appview.example",
    plcUrl: "https://plc.example",
  };
}

const plc = (id: string) => `https://plc.example/${id}`;
const account = { did, handle: "ann.example", pds: new URL("https://pds.example") };

test("a handle is first resolved by the AppView", async () => {
  const lookups = directory({ [appview]: { did }, [plc(did)]: makeDocument(did) });
  expect(await findAccount("@Ann.Example", lookups)).toEqual(account);
  expect(lookups.requests).toEqual([appview, plc(did)]);
});

test("a handle that the AppView cannot resolve is resolved by DNS, then by its host", async () => {
  const names = { "_atproto.ann.example": [["v=other"], ["did=", did]] };
  const byDns = directory({ [appview]: 400, [plc(did)]: makeDocument(did) }, names);
  expect(await findAccount("ann.example", byDns)).toEqual(account);
  const byHost = directory({ [wellKnown]: `${did}\n`, [plc(did)]: makeDocument(did) });
  expect(await findAccount("ann.example", byHost)).toEqual(account);
  expect(byHost.requests).toEqual([appview, "_atproto.ann.example", wellKnown, plc(did)]);
});

test("a handle with two DIDs in DNS is rejected", async () => {
  const names = { "_atproto.ann.example": [[`did=${did}`], [`did=${otherDid}`]] };
  const pendingAccount = findAccount(
    "ann.example",
    directory({ [plc(did)]: makeDocument(did) }, names),
  );
  await expect(pendingAccount).rejects.toMatchObject({ code: "account_unknown" });
});

test("a handle that its account does not claim is rejected", async () => {
  const lookups = directory({ [appview]: { did }, [plc(did)]: makeDocument(did, "else.example") });
  await expect(findAccount("ann.example", lookups)).rejects.toMatchObject({
    code: "account_unknown",
    message: `ann.example is not the handle of ${did}`,
  });
});

test("an account is found by DID, and its handle is accepted only if it resolves to that DID", async () => {
  const confirmed = directory({ [appview]: { did }, [plc(did)]: makeDocument(did) });
  expect(await findAccount(did, confirmed)).toEqual(account);
  const claimed = directory({ [appview]: { did: otherDid }, [plc(did)]: makeDocument(did) });
  expect(await findAccount(did, claimed)).toEqual({ ...account, handle: null });
  const unresolvable = directory({ [plc(did)]: makeDocument(did) });
  expect(await findAccount(did, unresolvable)).toEqual({ ...account, handle: null });
});

test("the DID document of a did:web is read from its host", async () => {
  const web = "did:web:host.example";
  const document = "https://host.example/.well-known/did.json";
  const lookups = directory({ [document]: makeDocument(web), [appview]: { did: web } });
  expect(await findAccount(web, lookups)).toMatchObject({ did: web, handle: "ann.example" });
});

test.each([
  ["a malformed name", "no name at all", {}, "account_unknown"],
  ["a DID of another method", "did:key:z6Mkabc", {}, "account_unknown"],
  ["an unknown DID", did, { [plc(did)]: 404 }, "account_unknown"],
  ["a deactivated DID", did, { [plc(did)]: 410 }, "account_deleted"],
  ["a document for another DID", did, { [plc(did)]: makeDocument(otherDid) }, "account_unknown"],
  ["a document that names no server", did, { [plc(did)]: { id: did } }, "account_unknown"],
  ["a failing directory", did, { [plc(did)]: 403 }, "upstream_refused"],
])("finding an account fails for %s", async (_what, requested, responses, code) => {
  await expect(findAccount(requested, directory(responses))).rejects.toMatchObject({ code });
});
