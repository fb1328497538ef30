import { reply, serveThread } from "../../lib/thread.ts";
import { detectLanguage } from "../../text/detect-language.ts";

/**
 * The thread that detects languages: loading the detector and asking it take long enough to hold an event loop. It starts with the
 * first post that needs it, as most sources name the language of every post.
 */
serveThread(
  (calls) => calls.map((call) => reply(call, ({ args }) => (args as string[]).map(detectLanguage))),
  () => {},
);
