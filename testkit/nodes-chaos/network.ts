import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { until } from "../until.ts";
import { blackHolingProxy } from "./black-holing-proxy.ts";

/** Where one node is, and the wire between it and the gateway. */
export type Place = {
  /** The gateway's address as it is seen from there. */
  gatewayUrl: string;
  /** A program and arguments so that they run there, and end when the process that started them does. */
  command(program: string, args: readonly string[]): [string, string[]];
  /** From here on nothing gets through, in either direction, and nobody is told. */
  cut(): void;
  mend(): void;
};

export type Network = {
  /** How nodes are set apart, for the report. */
  kind: "network namespaces" | "TCP proxies that black-hole";
  /** The address that the gateway has to listen on. */
  gatewayHost: string;
  /** A program beside this process, the gateway, that ends when this process does. */
  command: Place["command"];
  /** Where clients of this process reach it. */
  clientUrl: string;
  places: readonly Place[];
  close(): void;
};

/** A network of so many places around a gateway on `port`: namespaces where this process may make some, else proxies. */
export async function openNetwork(places: number, port: number): Promise<Network> {
  return hasNamespaces() ? await openNamespaces(places, port) : await openProxies(places, port);
}

/** Whether this process can make network namespaces and wires between them. */
function hasNamespaces(): boolean {
  const pair = ["link", "add", "name", "here", "type", "veth", "peer", "name", "there"];
  const tried = spawnSync("unshare", ["-n", "ip", ...pair]);
  return tried.status === 0;
}

async function openNamespaces(count: number, port: number): Promise<Network> {
  const subnet = `10.213.${process.pid % 250}`;
  const holders: ChildProcess[] = [];
  const close = (): void => {
    for (const holder of holders) holder.kill("SIGKILL");
  };
  try {
    const places: Place[] = [];
    for (let index = 0; index < count; index += 1) {
      const holder = holdNamespace();
      holders.push(holder);
      const wire = { name: `esc${process.pid % 100_000}n${index}`, subnet, first: index * 4 };
      places.push(await connectNamespace(holder, wire, port));
    }
    return {
      kind: "network namespaces",
      gatewayHost: "0.0.0.0",
      command: (program, args) => ["setpriv", ["--pdeathsig", "KILL", program, ...args]],
      clientUrl: `http://127.0.0.1:${port}`,
      places,
      close,
    };
  } catch (fault) {
    close();
    throw fault;
  }
}

/** A process that does nothing in a namespace of its own, which is there as long as the process is. */
function holdNamespace(): ChildProcess {
  const args = ["-n", "setpriv", "--pdeathsig", "KILL", "sleep", "infinity"];
  return spawn("unshare", args, { stdio: "ignore" });
}

async function connectNamespace(
  holder: ChildProcess,
  wire: { name: string; subnet: string; first: number },
  port: number,
): Promise<Place> {
  const pid = String(holder.pid);
  const own = readlinkSync("/proc/self/ns/net");
  await until("a namespace", () => (namespaceOf(pid) === own ? null : true));
  const gateway = `${wire.subnet}.${wire.first + 1}`;
  const node = `${wire.subnet}.${wire.first + 2}`;
  const here = (...args: string[]) => execFileSync("ip", args);
  const there = (...args: string[]) => execFileSync("nsenter", ["-t", pid, "-n", "ip", ...args]);
  here("link", "add", wire.name, "type", "veth", "peer", "name", "eth0", "netns", pid);
  here("address", "add", `${gateway}/30`, "dev", wire.name);
  here("link", "set", wire.name, "up");
  there("link", "set", "lo", "up");
  there("address", "add", `${node}/30`, "dev", "eth0");
  there("link", "set", "eth0", "up");
  // Frames to a hardware address that nobody has go out and are dropped by the other side, as on a wire that was cut.
  const nowhere = ["lladdr", "02:00:00:00:00:99", "nud", "permanent"];
  return {
    gatewayUrl: `http://${gateway}:${port}`,
    command: (program, args) => [
      "nsenter",
      ["-t", pid, "-n", "setpriv", "--pdeathsig", "KILL", program, ...args],
    ],
    cut: () => {
      here("neighbour", "replace", node, ...nowhere, "dev", wire.name);
      there("neighbour", "replace", gateway, ...nowhere, "dev", "eth0");
    },
    mend: () => {
      here("neighbour", "delete", node, "dev", wire.name);
      there("neighbour", "delete", gateway, "dev", "eth0");
    },
  };
}

/** The network namespace of a process; that of nobody when it has ended. */
function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    throw new Error("the process that holds a network namespace has ended");
  }
}

async function openProxies(count: number, port: number): Promise<Network> {
  const proxies = await Promise.all(
    Array.from({ length: count }, () => blackHolingProxy("127.0.0.1", port)),
  );
  return {
    kind: "TCP proxies that black-hole",
    gatewayHost: "127.0.0.1",
    command: (program, args) => [program, [...args]],
    clientUrl: `http://127.0.0.1:${port}`,
    places: proxies.map((proxy) => ({
      gatewayUrl: proxy.url,
      command: (program, args) => [program, [...args]],
      cut: proxy.cut,
      mend: proxy.mend,
    })),
    close: () => {
      for (const proxy of proxies) proxy.close();
    },
  };
}
