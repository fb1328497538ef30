import { serveMethods } from "../../db/threads/serve.ts";
import { detectLanguage } from "../../posts/detect-language.ts";

/** The detector would block the event loop. Loaded by the first post that needs it. */
const methods = {
  detect: (texts: readonly string[]) => texts.map(detectLanguage),
};

export type LanguageMethods = typeof methods;

serveMethods<LanguageMethods>(methods, () => {});
