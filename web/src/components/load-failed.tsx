import { useEffect, useState } from "preact/compat";
import { isUpdated } from "../load-failure.ts";
import { Button } from "./button.tsx";
import { Note } from "./note.tsx";

type Cause = "unknown" | "no response" | "updated" | "other";

const titles: Record<Cause, string> = {
  unknown: "This page could not be loaded",
  "no response": "This page could not be loaded",
  updated: "A new version is ready",
  other: "This page could not be loaded",
};

const texts: Record<Cause, string> = {
  unknown: "Checking the connection…",
  "no response":
    "Earshot is not responding, or you are offline. This page will open when the connection is restored.",
  updated: "Earshot was updated. This page is reloading.",
  other: "Try again. If it fails again, the dashboard installation is incomplete.",
};

const reloadAfterMs = 1_500;
const checkEveryMs = 5_000;

/**
 * Replaces a page whose files could not be loaded. Reloads after an update, or when the server
 * responds again.
 */
export function LoadFailed() {
  const [cause, setCause] = useState<Cause>("unknown");
  useEffect(() => {
    let isShown = true;
    let wasUnreachable = false;
    let reloadTimer: ReturnType<typeof setTimeout> | undefined;
    const check = async () => {
      const updated = await isUpdated();
      if (!isShown || reloadTimer !== undefined) return;
      if (updated === null) wasUnreachable = true;
      setCause(updated === null ? "no response" : updated ? "updated" : "other");
      // Otherwise a missing file would reload the page forever.
      if (updated || (updated === false && wasUnreachable)) {
        reloadTimer = setTimeout(() => location.reload(), updated ? reloadAfterMs : 0);
      }
    };
    void check();
    const checkTimer = setInterval(check, checkEveryMs);
    window.addEventListener("online", check);
    return () => {
      isShown = false;
      clearTimeout(reloadTimer);
      clearInterval(checkTimer);
      window.removeEventListener("online", check);
    };
  }, []);
  return (
    <>
      <h1 className="sr">Page not loaded</h1>
      <Note
        tone={cause === "updated" ? "accent" : "caution"}
        title={titles[cause]}
        action={
          <Button size="small" onClick={() => location.reload()}>
            {cause === "updated" ? "Reload now" : "Try again"}
          </Button>
        }
      >
        <p>{texts[cause]}</p>
      </Note>
    </>
  );
}
