import { serveMethods } from "../../db/threads/serve.ts";
import { detectLanguage } from "../../posts/detect-language.ts";

const methods = {
  detect: (texts: readonly string[]) => texts.map(detectLanguage),
};

export type LanguageMethods = typeof methods;

serveMethods<LanguageMethods>(methods, () => {});
