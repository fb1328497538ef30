import { serveMethods } from "../../db/threads/serve.ts";
import { detectLanguage } from "../../posts/detect-language.ts";

/**
 * Loading and running the detector would block an event loop. Starts with the first post that needs it; most sources name the
 * language.
 */
const methods = {
  detect: (texts: readonly string[]) => texts.map(detectLanguage),
};

export type LanguageMethods = typeof methods;

serveMethods<LanguageMethods>(methods, () => {});
