import { stripControls } from "../../lib/controls.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/text-layout.ts";

type ShownRecord = {
  Content: string;
  Metadata: {
    platform: string;
    created_at: string;
    username: string;
    author: string | null;
    url: string | null;
  };
};

export function showRecord(json: string, terminal: Pick<Terminal, "colour" | "columns">): string {
  const { Content, Metadata } = JSON.parse(json) as ShownRecord;
  const { dim, bold, accent } = painter(terminal);
  const time = Metadata.created_at.slice(0, 16).replace("T", " ");
  const author = Metadata.author ? ` ${dim(oneLine(Metadata.author))}` : "";
  const head = `${dim(time)}  ${Metadata.platform}  ${bold(`@${oneLine(Metadata.username)}`)}${author}`;
  const text = wrap(stripControls(Content), terminal.columns - 2).map((line) => `  ${line}`);
  const url = Metadata.url ? [`  ${accent(oneLine(Metadata.url))}`] : [];
  return `${[head, ...text, ...url].join("\n")}\n\n`;
}

const oneLine = (text: string): string => stripControls(text).replaceAll("\n", " ");
