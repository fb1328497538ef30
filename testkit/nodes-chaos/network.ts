import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { until } from "../until.ts";
import { blackHolingProxy } from "./black-holing-proxy.ts";

export type NetworkLink = {
  gatewayUrl: string;
  /** The command's process ends with its parent. */
  command(program: string, args: readonly string[]): [string, string[]];
  cut(): void;
  reconnect(): void;
};

export type Network = {
  kind: "network namespaces" | "TCP proxies that black-hole";
  gatewayHost: string;
  command: NetworkLink["command"];
  clientUrl: string;
  links: readonly NetworkLink[];
  close(): void;
};

/** Uses network namespaces if permitted, otherwise proxies. */
export async function openNetwork(count: number, port: number): Promise<Network> {
  return hasNamespaces() ? await openNamespaces(count, port) : await openProxies(count, port);
}

function hasNamespaces(): boolean {
  const pair = ["link", "add", "name", "here", "type", "veth", "peer", "name", "there"];
  const outcome = spawnSync("unshare", ["-n", "ip", ...pair]);
  return outcome.status === 0;
}

async function openNamespaces(count: number, port: number): Promise<Network> {
  const subnet = `10.213.${process.pid % 250}`;
  const namespaceProcesses: ChildProcess[] = [];
  const close = (): void => {
    for (const owner of namespaceProcesses) owner.kill("SIGKILL");
  };
  try {
    const links: NetworkLink[] = [];
    for (let index = 0; index < count; index += 1) {
      const owner = holdNamespace();
      namespaceProcesses.push(owner);
      const wire = { name: `esc${process.pid % 100_000}n${index}`, subnet, first: index * 4 };
      links.push(await connectNamespace(owner, wire, port));
    }
    return {
      kind: "network namespaces",
      gatewayHost: "0.0.0.0",
      command: (program, args) => ["setpriv", ["--pdeathsig", "KILL", program, ...args]],
      clientUrl: `http://127.0.0.1:${port}`,
      links,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function holdNamespace(): ChildProcess {
  const args = ["-n", "setpriv", "--pdeathsig", "KILL", "sleep", "infinity"];
  return spawn("unshare", args, { stdio: "ignore" });
}

async function connectNamespace(
  owner: ChildProcess,
  wire: { name: string; subnet: string; first: number },
  port: number,
): Promise<NetworkLink> {
  const pid = String(owner.pid);
  const ownNamespace = readlinkSync("/proc/self/ns/net");
  await until("a namespace", () => (readNamespace(pid) === ownNamespace ? null : true));
  const gateway = `${wire.subnet}.${wire.first + 1}`;
  const node = `${wire.subnet}.${wire.first + 2}`;
  const inHost = (...args: string[]) => execFileSync("ip", args);
  const inNamespace = (...args: string[]) =>
    execFileSync("nsenter", ["-t", pid, "-n", "ip", ...args]);
  inHost("link", "add", wire.name, "type", "veth", "peer", "name", "eth0", "netns", pid);
  inHost("address", "add", `${gateway}/30`, "dev", wire.name);
  inHost("link", "set", wire.name, "up");
  inNamespace("link", "set", "lo", "up");
  inNamespace("address", "add", `${node}/30`, "dev", "eth0");
  inNamespace("link", "set", "eth0", "up");
  // Frames to an unused hardware address are dropped.
  const unreachable = ["lladdr", "02:00:00:00:00:99", "nud", "permanent"];
  return {
    gatewayUrl: `http://${gateway}:${port}`,
    command: (program, args) => [
      "nsenter",
      ["-t", pid, "-n", "setpriv", "--pdeathsig", "KILL", program, ...args],
    ],
    cut: () => {
      inHost("neighbour", "replace", node, ...unreachable, "dev", wire.name);
      inNamespace("neighbour", "replace", gateway, ...unreachable, "dev", "eth0");
    },
    reconnect: () => {
      inHost("neighbour", "delete", node, "dev", wire.name);
      inNamespace("neighbour", "delete", gateway, "dev", "eth0");
    },
  };
}

/** Throws if the process has ended. */
function readNamespace(pid: string): string {
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
    links: proxies.map((proxy) => ({
      gatewayUrl: proxy.url,
      command: (program, args) => [program, [...args]],
      cut: proxy.cut,
      reconnect: proxy.reconnect,
    })),
    close: () => {
      for (const proxy of proxies) proxy.close();
    },
  };
}
