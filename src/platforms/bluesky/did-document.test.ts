import { expect, test } from "vitest";
import { didDocumentUrl, readDidDocument } from "./find-account.ts";

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const service = (serviceEndpoint: unknown, rest: object = {}) => ({
  id: "#atproto_pds",
  type: "AtprotoPersonalDataServer",
  serviceEndpoint,
  ...rest,
});

test("a DID document is found in the directory, or on the host that a did:web names", () => {
  const getUrl = (requested: string) =>
    didDocumentUrl(requested, "https://plc.example/")?.href ?? null;
  expect(getUrl(did)).toBe(`https://plc.example/${did}`);
  expect(getUrl("did:web:host.example")).toBe("https://host.example/.well-known/did.json");
  expect(getUrl("did:web:localhost%3A3000")).toBeNull();
  expect(getUrl("did:web:127.0.0.1")).toBeNull();
  expect(getUrl("did:web:host.example:folder")).toBeNull();
  expect(getUrl("did:key:z6Mk")).toBeNull();
  expect(getUrl("did:plc:../../x")).toBeNull();
});

test("a DID document names the account's server and claimed handle", () => {
  const document = {
    id: did,
    alsoKnownAs: ["https://else.example", "at://Ann.Example", "at://second.example"],
    service: [
      service("https://labels.example", { id: "#labeler" }),
      service("https://pds.example"),
    ],
  };
  const parsed = readDidDocument(document, did);
  expect(parsed?.handle).toBe("ann.example");
  expect(parsed?.pds?.href).toBe("https://pds.example/");
  const withFullId = {
    ...document,
    service: [service("https://pds.example", { id: `${did}#atproto_pds` })],
  };
  expect(readDidDocument(withFullId, did)?.pds?.href).toBe("https://pds.example/");
});

test("a DID document for another DID is rejected", () => {
  expect(readDidDocument({ id: "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb" }, did)).toBeNull();
});

test.each([
  null,
  "document",
  [],
  { id: did },
  { id: did, service: "none", alsoKnownAs: 7 },
  { id: did, service: [service("file:///etc/passwd")], alsoKnownAs: ["at://not a handle"] },
  { id: did, service: [service(7), null, service("not an address")], alsoKnownAs: [{}] },
])("a malformed DID document yields neither server nor handle: %j", (value) => {
  const parsed = readDidDocument(value, did);
  expect(parsed?.pds ?? null).toBeNull();
  expect(parsed?.handle ?? null).toBeNull();
});
