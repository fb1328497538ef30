import { createRequire } from "node:module";
import { escapeHtml } from "../escape-html.ts";

type Highlighter = {
  getLanguage(name: string): object | undefined;
  highlight(text: string, options: { language: string }): { value: string };
};

/** The package's own types would add the DOM's types to the server's. */
const hljs: Highlighter = createRequire(import.meta.url)("highlight.js/lib/common");

/** `info`: a language and an optional name in brackets, for tabs. */
export function codeBlock(text: string, info: string): string {
  const [language = ""] = info.split(" ");
  const [, name = null] = /\[([^[\]]+)\]/.exec(info) ?? [];
  const html = hljs.getLanguage(language)
    ? hljs.highlight(text, { language }).value
    : escapeHtml(text);
  const label = name === null ? "" : ` data-label="${escapeHtml(name)}"`;
  const caption = name === null ? "" : `<figcaption>${escapeHtml(name)}</figcaption>`;
  return (
    `<figure class="sample"${label}>${caption}<pre class="code" tabindex="0"><code>${html}</code></pre>` +
    '<button class="button" type="button" data-copy data-size="small">Copy</button></figure>\n'
  );
}

export function groupSamples(html: string): string {
  return html.replaceAll(
    /(?:<figure class="sample" data-label=(?:(?!<\/figure>)[\s\S])*<\/figure>\n){2,}/g,
    (samples) => `<div class="samples">${samples}</div>\n`,
  );
}
