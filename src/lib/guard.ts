import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { EarshotError } from "./errors.ts";

/**
 * Restricts outgoing connections to public unicast addresses and configured hosts. Checks all
 * addresses of a name at connection time, to prevent DNS rebinding.
 */
export type Guard = {
  /**
   * The lookup fails with `upstream_unreachable` for unknown names and non-public addresses alike,
   * so that callers cannot probe private names. Errors: `address_refused` for a literal non-public
   * address.
   */
  lookupFor(url: URL): LookupFunction;
};

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type GuardOptions = {
  setting?: string;
  resolve?: Resolve | undefined;
};

export function createGuard(
  configuredUrls: Iterable<string>,
  { setting, resolve = lookup }: GuardOptions = {},
): Guard {
  const allowedOrigins = new Set([...configuredUrls].map((address) => urlOrigin(new URL(address))));
  return {
    lookupFor(url) {
      if (allowedOrigins.has(urlOrigin(url))) return plainLookup(resolve);
      const hint = hintFor(url, setting);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (isNumericHost(host) && !isPublicAddress(host))
        throw refusedError(`${host} is not a public address`, hint);
      return publicLookup(resolve, hint);
    },
  };
}

/**
 * Understands any notation that a connection accepts (`127.1`, `0x7f.1`, `2130706433`,
 * `::ffff:a.b.c.d`).
 */
export function isPublicAddress(address: string): boolean {
  const hexAddress = toHexadecimal(address);
  if (!ipaddr.isValid(hexAddress)) return false;
  const ip = ipaddr.process(hexAddress);
  if (ip.range() !== "unicast") return false;
  // Global unicast is 2000::/3; ipaddr.js does not name lower ranges, such as ::127.0.0.1.
  return ip.kind() === "ipv4" || ((ip.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}

/** ipaddr.js would read `::8.8.8.8` as `::ffff:8.8.8.8`, another address. */
function toHexadecimal(address: string): string {
  if (!address.includes(":") || !address.includes(".")) return address;
  return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? "";
}

const isNumericHost = (host: string): boolean => isIP(host) !== 0 || ipaddr.isValid(host);

const defaultPorts: Readonly<Record<string, string>> = {
  "http:": "80",
  "ws:": "80",
  "https:": "443",
  "wss:": "443",
};

function urlOrigin(url: URL): string {
  return `${url.hostname}:${url.port || (defaultPorts[url.protocol] ?? "")}`;
}

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
      const refusal = refusedError(`${hostname} resolves to an address that is not public`, hint);
      done(error ?? (isPublic ? null : refusal), addresses);
    });
  });
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      callback(error === null ? null : unresolvedError(hostname, hint, error), address, family);
    });
  };
}

function hintFor({ protocol, host: hostName }: URL, setting: string | undefined): string {
  return setting === undefined
    ? "only public addresses and configured hosts are allowed"
    : `if it is a server on your own network, add ${protocol.replace("ws", "http")}//${hostName} to ${setting}`;
}

function unresolvedError(hostname: string, hint: string, cause: unknown): EarshotError {
  const message = `${hostname} does not resolve to a public address`;
  const options = { status: 502, retryable: true, hint, cause };
  return new EarshotError("upstream_unreachable", message, options);
}

function refusedError(message: string, hint: string): EarshotError {
  return new EarshotError("address_refused", message, { status: 502, hint });
}
