import { escapeHtml } from "../../../src/http/docs-site/escape-html.ts";
import type { EmulatedUser } from "./model.ts";

export function approvalPage(
  label: string,
  query: URLSearchParams,
  users: readonly EmulatedUser[],
): string {
  const fields = [...query]
    .map(
      ([name, value]) =>
        `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    )
    .join("");
  const choices = users
    .map(({ id, login }) => `<option value="${id}">${escapeHtml(login)}</option>`)
    .join("");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${label} (emulated)</title></head>
<body><main><h1>${label}, emulated for tests</h1>
<p>Earshot would like to read your profile: ${escapeHtml(query.get("scope") ?? "")}</p>
<form method="post" action="/emulator/decision">${fields}
<label>Signed in as <select name="user">${choices}</select></label>
<button name="decision" value="approve">Approve</button>
<button name="decision" value="cancel">Cancel</button>
</form></main></body></html>`;
}
