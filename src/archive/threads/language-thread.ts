import { reply, serveThread } from "../../lib/thread.ts";
import { detectLanguage } from "../../posts/detect-language.ts";

/**
 * Loading and running the detector would block an event loop. Starts with the first post that needs it; most sources name the
 * language.
 */
serveThread(
  (calls) => calls.map((call) => reply(call, ({ args }) => (args as string[]).map(detectLanguage))),
  () => {},
);
