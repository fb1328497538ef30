import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type NetworkProcess<Addresses> = {
  addresses: Addresses;
  close(): Promise<void>;
};

/** The script prints its addresses as JSON. */
export async function startNetworkProcess<Addresses>(
  script: string,
): Promise<NetworkProcess<Addresses>> {
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the network exited: ${code}`))),
  ])) as [string];
  return {
    addresses: JSON.parse(line) as Addresses,
    close: async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}

/** Throws for a status other than 2xx. */
export async function postTo<Body>(
  url: string,
  body: Buffer | string,
  headers: Readonly<Record<string, string>>,
): Promise<Body> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return await readBody(response);
}

export async function readBody<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
  return (text === "" ? {} : JSON.parse(text)) as Body;
}

export const authorizationHeaders = (authorization: string | null): Record<string, string> =>
  authorization === null ? {} : { authorization };
