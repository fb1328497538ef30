import MiniSearch from "minisearch";
import { searchOptions } from "./search-options.ts";

type Section = { id: string; title: string; page: string; text: string; excerpt: string };

const excerptLength = 140;

export function splitSections(address: string, title: string, html: string): Section[] {
  return html.split(/(?=<h[1-3] id=)/).flatMap((part) => {
    const [heading = "", anchor = ""] = /^<h[1-3] id="([^"]+)">.*?<\/h[1-3]>/.exec(part) ?? [];
    const text = plainText(part.slice(heading.length));
    if (heading === "") return [];
    return [
      {
        id: `${address}#${anchor}`,
        title: plainText(heading),
        page: title,
        text,
        excerpt: text.slice(0, excerptLength),
      },
    ];
  });
}

export function searchIndex(sections: readonly Section[]): string {
  const index = new MiniSearch<Section>(searchOptions);
  index.addAll(sections);
  return JSON.stringify(index);
}

export function plainText(html: string): string {
  return html
    .replaceAll(/<button[\s\S]*?<\/button>|<caption[\s\S]*?<\/caption>|<!--[\s\S]*?-->/g, "")
    .replaceAll(/<[^<>]+>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}
