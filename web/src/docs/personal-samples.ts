import type { KeysResponse } from "../../../src/http/dashboard/contract/keys.ts";
import type { SessionResponse } from "../../../src/http/dashboard/contract/session.ts";

const exampleUrl = "http://127.0.0.1:8080";

/**
 * Writes this service's address into samples, and names a key of the signed-in caller under those
 * that need one.
 */
export async function personaliseSamples(): Promise<void> {
  const session = await read<SessionResponse>("/dashboard/api/session");
  if (session === null) return;
  for (const code of document.querySelectorAll(".sample code")) {
    replaceText(code, exampleUrl, session.base_url);
  }
  if (session.signed_in === null) return;
  const keyList = await read<KeysResponse>("/dashboard/api/keys");
  const key = keyList?.keys.find(({ state }) => state === "active");
  if (key === undefined) return;
  for (const sample of document.querySelectorAll(".sample")) {
    if (/\$(?:EARSHOT_API_)?KEY\b|EARSHOT_API_KEY/.test(sample.textContent ?? ""))
      sample.append(keyNote(key.name, key.shown));
  }
}

async function read<Answer>(path: string): Promise<Answer | null> {
  const response = await fetch(path).catch(() => null);
  // The contract defines the type.
  return response?.ok ? ((await response.json()) as Answer) : null;
}

function replaceText(element: Element, from: string, to: string): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    node.textContent = node.textContent?.replaceAll(from, to) ?? null;
  }
}

function keyNote(name: string, shown: string): HTMLElement {
  const note = document.createElement("p");
  note.className = "sample-key";
  const link = document.createElement("a");
  link.href = "/dashboard/keys";
  link.textContent = name;
  note.append("Your key: ", link, ` (${shown})`);
  return note;
}
