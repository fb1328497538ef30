import { isSearch } from "../../../../src/platforms/methods.ts";
import { CopyButton } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { type CodePart, joinParts, requestCode } from "./request-code.ts";
import type { Request } from "./search-request.ts";

/** Used instead of an empty query, which is invalid. */
const exampleQuery = '"power outage" lang:en';

export function RequestPanel({ request, baseUrl }: { request: Request; baseUrl: string }) {
  const isExample = request.query.trim() === "" && isSearch(request.method);
  const query = isExample ? exampleQuery : request.query;
  const codes = requestCode({ ...request, query }, baseUrl);
  return (
    <section className="panel" aria-label="The same request in code">
      <Tabs
        label="Request"
        tabs={codes.map(({ name, title, parts }) => ({
          name,
          title,
          content: (
            <Code label={`The request with ${title}`}>
              <HighlightedCode parts={parts} />
            </Code>
          ),
        }))}
        end={({ name }) => (
          <CopyButton
            variant="plain"
            size="small"
            label="Copy request"
            text={joinParts(codes.find((code) => code.name === name)?.parts ?? [])}
          />
        )}
      />
    </section>
  );
}

function HighlightedCode({ parts }: { parts: readonly CodePart[] }) {
  return parts.map(({ text, look }, index) =>
    look === undefined ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part has no key but its index
      <span key={index} className={look}>
        {text}
      </span>
    ),
  );
}
