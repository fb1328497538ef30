import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";

/** Real posts, not part of the project. */
export const dataFolder = join(import.meta.dirname, "../../shared/data");

const files = ["ira_00", "ira_04"].map((name) =>
  join(dataFolder, "ira_tweets", `${name}.ndjson.gz`),
);

const languageTags: Readonly<Record<string, string>> = {
  Albanian: "sq",
  Arabic: "ar",
  Bulgarian: "bg",
  Catalan: "ca",
  Croatian: "hr",
  Czech: "cs",
  Danish: "da",
  Dutch: "nl",
  English: "en",
  Estonian: "et",
  Farsi: "fa",
  "Farsi (Persian)": "fa",
  Finnish: "fi",
  French: "fr",
  German: "de",
  Greek: "el",
  Gujarati: "gu",
  Hebrew: "he",
  Hindi: "hi",
  Hungarian: "hu",
  Icelandic: "is",
  Indonesian: "id",
  Italian: "it",
  Japanese: "ja",
  Kannada: "kn",
  Korean: "ko",
  Kurdish: "ku",
  Latvian: "lv",
  Lithuanian: "lt",
  Macedonian: "mk",
  Malay: "ms",
  Malayalam: "ml",
  Norwegian: "no",
  Polish: "pl",
  Portuguese: "pt",
  Pushto: "ps",
  Romanian: "ro",
  Russian: "ru",
  Serbian: "sr",
  "Simplified Chinese": "zh-cn",
  Slovak: "sk",
  Slovenian: "sl",
  Somali: "so",
  Spanish: "es",
  Swedish: "sv",
  "Tagalog (Filipino)": "tl",
  Tamil: "ta",
  Telugu: "te",
  Thai: "th",
  "Traditional Chinese": "zh-tw",
  Turkish: "tr",
  Ukrainian: "uk",
  Urdu: "ur",
  Uzbek: "uz",
  Vietnamese: "vi",
};

type IraPost = {
  id: string;
  author: string;
  author_id: string;
  created_at: string;
  text: string;
  language: string;
  post_type: string;
  retweet: number;
};

export const hasRealPosts = (): boolean => files.every((file) => existsSync(file));

export function requireData(): void {
  const missingFiles = files.filter((file) => !existsSync(file));
  if (missingFiles.length === 0) return;
  console.error(
    `this measurement needs real posts that are not part of the project: ${missingFiles.join(", ")}`,
  );
  process.exit(1);
}

export async function writeImportFile(path: string): Promise<number> {
  const output = createWriteStream(path);
  let count = 0;
  for await (const post of iraPosts()) {
    count += 1;
    if (!output.write(`${JSON.stringify(toRecord(post))}\n`)) await once(output, "drain");
  }
  output.end();
  await once(output, "finish");
  return count;
}

/** Posts, oldest first. */
export async function* iraPosts(): AsyncGenerator<IraPost> {
  for (const file of files) {
    const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) });
    for await (const line of lines) yield JSON.parse(line) as IraPost;
  }
}

export function toRecord(post: IraPost): Record<string, unknown> {
  const lang = languageTags[post.language];
  return {
    id: post.id,
    author: post.author,
    author_id: post.author_id,
    created_at: post.created_at,
    text: post.text,
    ...(lang === undefined ? {} : { lang }),
    is_repost: post.retweet === 1,
    is_quote: post.post_type === "Q",
  };
}
