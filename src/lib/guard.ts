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
   * The name look-up to connect to `url` with. Throws `address_refused` when the host is an address that is not public;
   * the look-up fails with it when the name has such an address.
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
      const refused = refusalOf(url, setting);
      if (allowed.has(placeOf(url))) return checkedLookup(resolve, refused, () => true);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (isNumericHost(host) && !isPublicAddress(host)) throw refused(host, host);
      return checkedLookup(resolve, refused, isPublicAddress);
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

function checkedLookup(
  resolve: Resolve,
  refused: Refusal,
  accepts: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, "");
        return;
      }
      const bad = addresses.find(({ address }) => !accepts(address));
      const first = addresses[0];
      if (bad !== undefined || first === undefined) {
        callback(refused(hostname, bad?.address ?? "no address"), "");
        return;
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

type Refusal = (host: string, address: string) => EarshotError;

function refusalOf({ protocol, host: place }: URL, setting: string | undefined): Refusal {
  const hint =
    setting === undefined
      ? "only public addresses and hosts that the configuration names are called"
      : `if it is a server of your own network, add ${protocol.replace("ws", "http")}//${place} to ${setting}`;
  return (host, address) => {
    // The address behind a name is not reported: callers who name hosts would learn the addresses of an internal network.
    const fault =
      host === address ? "is not a public address" : "leads to an address that is not public";
    return new EarshotError("address_refused", `${host} ${fault}`, { status: 502, hint });
  };
}
