import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { EarshotError } from "./errors.ts";

/**
 * What may be called from here: public unicast addresses, and the hosts that the operator's own configuration names. A name
 * is judged by all of its addresses at the moment of connecting, so that one which later points inwards (rebinding) is
 * refused as well; an address is judged in whatever form it is written. Everything that calls out goes through a guard.
 */
export type Guard = {
  /**
   * The name look-up to connect to `url` with. Throws `address_refused` when the host is an address that is not public. The
   * look-up fails with the same `upstream_unreachable` when the name does not exist and when it has an address that is not
   * public, so that the names of a private network cannot be found out; the cause has the difference.
   */
  lookupFor(url: URL): LookupFunction;
};

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type GuardOptions = {
  /** The setting in which the operator may list further hosts; named in the hint of a refusal. */
  setting?: string;
  resolve?: Resolve | undefined;
};

/** A guard that besides public addresses allows the hosts and ports of `configured`, addresses that the operator wrote. */
export function createGuard(
  configured: Iterable<string>,
  { setting, resolve = lookup }: GuardOptions = {},
): Guard {
  const allowed = new Set([...configured].map((address) => placeOf(new URL(address))));
  return {
    lookupFor(url) {
      if (allowed.has(placeOf(url))) return plainLookup(resolve);
      const hint = hintFor(url, setting);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (isNumericHost(host) && !isPublicAddress(host))
        throw refused(`${host} is not a public address`, hint);
      return publicLookup(resolve, hint);
    },
  };
}

/**
 * Whether an address, in any form that a connection would understand (`127.1`, `0x7f.1`, `2130706433`, `::ffff:a.b.c.d`),
 * is one of the public internet's unicast addresses. What is no address is not.
 */
export function isPublicAddress(address: string): boolean {
  const plain = inHexadecimal(address);
  if (!ipaddr.isValid(plain)) return false;
  const parsed = ipaddr.process(plain);
  if (parsed.range() !== "unicast") return false;
  // All global unicast addresses lie in 2000::/3; what lies below, such as ::127.0.0.1, has a range of no name.
  return parsed.kind() === "ipv4" || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}

/** `::8.8.8.8` as `::808:808`: ipaddr.js would take it for the mapped form `::ffff:8.8.8.8`, which connects elsewhere. */
function inHexadecimal(address: string): string {
  if (!address.includes(":") || !address.includes(".")) return address;
  return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? "";
}

/** A host that is looked up nowhere, or that the system's resolver reads as a number. */
const isNumericHost = (host: string): boolean => isIP(host) !== 0 || ipaddr.isValid(host);

const defaultPorts: Readonly<Record<string, string>> = {
  "http:": "80",
  "ws:": "80",
  "https:": "443",
  "wss:": "443",
};

function placeOf(url: URL): string {
  return `${url.hostname}:${url.port || (defaultPorts[url.protocol] ?? "")}`;
}

/** Every address of a name, whatever it is. */
function plainLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) callback(error, "");
      else if (first === undefined) callback(new Error(`${hostname} has no address`), "");
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function publicLookup(resolve: Resolve, hint: string): LookupFunction {
  const lookup = plainLookup((hostname, options, done) => {
    resolve(hostname, options, (error, addresses) => {
      const isPublic = addresses?.every(({ address }) => isPublicAddress(address));
      const refusal = refused(`${hostname} leads to an address that is not public`, hint);
      done(error ?? (isPublic ? null : refusal), addresses);
    });
  });
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      callback(error === null ? null : unresolved(hostname, hint, error), found, family);
    });
  };
}

function hintFor({ protocol, host: place }: URL, setting: string | undefined): string {
  return setting === undefined
    ? "only public addresses and hosts that the configuration names are called"
    : `if it is a server of your own network, add ${protocol.replace("ws", "http")}//${place} to ${setting}`;
}

function unresolved(hostname: string, hint: string, cause: unknown): EarshotError {
  const message = `${hostname} cannot be resolved to a public address`;
  const options = { status: 502, retryable: true, hint, cause };
  return new EarshotError("upstream_unreachable", message, options);
}

function refused(message: string, hint: string): EarshotError {
  return new EarshotError("address_refused", message, { status: 502, hint });
}
