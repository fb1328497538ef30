import { languageTags } from "../text/languages.ts";
import { nearest } from "./nearest.ts";
import { type Operand, type OperandDiagnostic, operandError, truncate } from "./operand.ts";

/** ISO 639-1, three-letter codes in use, and X's codes for posts without a language. */
const knownLanguages: ReadonlySet<string> = new Set(
  (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es " +
    "et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj " +
    "kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn nr nv " +
    "ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th " +
    "ti tk tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu " +
    "arz ast ceb chr ckb fil gsw haw hmn ilo kab lzh nds nan pap pcm sco tok tlh war yue " +
    "und zxx qam qct qht qme qst art mul mis"
  ).split(" "),
);

const languageNames: Readonly<Record<string, string>> = {
  arabic: "ar",
  chinese: "zh",
  dutch: "nl",
  english: "en",
  eng: "en",
  french: "fr",
  german: "de",
  greek: "el",
  hindi: "hi",
  indonesian: "id",
  italian: "it",
  japanese: "ja",
  jp: "ja",
  korean: "ko",
  kr: "ko",
  persian: "fa",
  polish: "pl",
  portuguese: "pt",
  russian: "ru",
  spanish: "es",
  swedish: "sv",
  thai: "th",
  turkish: "tr",
  ukrainian: "uk",
  cn: "zh",
  ua: "uk",
};

const codeForm = /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8}){0,8}$/i;

/** Resolves aliases; warns if unknown, or if most posts lack its region. */
export function readLanguage(text: string): Operand<string> {
  const code = codeForm.test(text) ? languageTags(text)[0] : undefined;
  if (code === undefined) {
    return operandError(
      "invalid_language",
      `lang: must be a language code, not ${truncate(text)}`,
      ["a language code such as en, pt-br or und"],
      "use a value such as lang:en",
    );
  }
  const [language = "", ...subtags] = code.split("-");
  if (knownLanguages.has(language)) {
    return subtags.length === 0 || languagesWithRegions.has(language)
      ? { value: code }
      : { value: code, warning: regionWarning(code, language) };
  }
  const likelyCode = likelyLanguage(text);
  return {
    value: code,
    warning: {
      code: "unknown_language",
      message: `unknown language code ${truncate(code)}: no posts match`,
      hint:
        likelyCode === null ? "use an ISO 639 code such as en" : `did you mean lang:${likelyCode}`,
    },
  };
}

/** Platforms report subtags such as region or script for these. */
const languagesWithRegions: ReadonlySet<string> = new Set(["zh", "pt", "sr", "art"]);

function regionWarning(code: string, language: string): OperandDiagnostic {
  return {
    code: "language_region",
    message: `lang:${truncate(code)} finds only posts marked ${truncate(code)}, but most in that language are marked only ${language}`,
    hint: `write lang:${language} to find both`,
  };
}

function likelyLanguage(text: string): string | null {
  const name = nearest(text, Object.keys(languageNames));
  return name === null ? null : (languageNames[name] ?? null);
}
