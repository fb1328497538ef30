import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/utilities.css";
import "./styles/panel.css";
import "./styles/print.css";
import { options } from "preact";
import { createRoot } from "preact/compat/client";
import { App } from "./app.tsx";
import { watchLoadFailures } from "./load-failure.ts";
import { takeLinkToken } from "./pages/sign-in/link-token.ts";
import { preloadPage } from "./pages.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("app.html must have an element with the id root");
// Runs the effects of an event before the next event, so that a key pressed right after it finds
// them applied.
options.requestAnimationFrame = queueMicrotask;
takeLinkToken();
watchLoadFailures();
preloadPage();
createRoot(root).render(<App />);
