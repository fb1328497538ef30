import type { ExportPart } from "../../accounts/admin/export-operations.ts";
import {
  type ExportedKind,
  type ExportPosition,
  exportedKinds,
} from "../../accounts/admin/export-rows.ts";
import type { HttpContext } from "../context.ts";

/**
 * Yields lines as the client consumes them. The last line has the count, so that truncation is
 * detectable. Throws when the signal aborts.
 */
export async function* exportLines(
  accounts: Pick<HttpContext["accounts"], "read">,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let lines = 0;
  for (const kind of exportedKinds) {
    for await (const part of readParts(accounts, accountId, kind)) {
      signal.throwIfAborted();
      lines += part.lines;
      if (part.text !== "") yield part.text;
    }
  }
  yield `${JSON.stringify({ kind: "end", lines })}\n`;
}

async function* readParts(
  accounts: Pick<HttpContext["accounts"], "read">,
  accountId: string,
  kind: ExportedKind,
): AsyncGenerator<ExportPart> {
  let after: ExportPosition = null;
  do {
    const part: ExportPart = await accounts.read("exportAccount", { accountId, kind, after });
    yield part;
    after = part.next;
  } while (after !== null);
}
