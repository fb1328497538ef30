import "./fresh-key-panel.css";
import { useEffect, useId, useRef, useState } from "preact/compat";
import { Link } from "wouter";
import { Button, CopyButton } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Check } from "../../components/field.tsx";
import { focusPageHead } from "../../components/page-head.tsx";
import { Secret } from "../../components/secret.tsx";
import { useSignedIn } from "../../session.tsx";
import { firstCall } from "./first-call.ts";
import { type FreshKey, forgetFreshKey } from "./fresh-key.ts";

/** Stays until hidden. Takes focus, and warns before the page is closed with the key not saved. */
export function FreshKeyPanel({ freshKey, isLatest }: { freshKey: FreshKey; isLatest: boolean }) {
  const { base_url: baseUrl } = useSignedIn();
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [isStored, setStored] = useState(false);
  const { token, key, title } = freshKey;
  const exampleRequest = isLatest ? firstCall(token, baseUrl, key.methods) : null;

  useEffect(() => {
    if (token !== "") heading.current?.focus();
  }, [token]);
  useEffect(() => {
    if (isStored) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isStored]);

  const hide = () => {
    forgetFreshKey(key.id);
    focusPageHead();
  };

  return (
    <section className="panel" data-tone="accent" aria-labelledby={id}>
      <div className="panel-body">
        <div className="stack">
          <div>
            <h2 id={id} ref={heading} tabIndex={-1}>
              {title}
            </h2>
            <p className="soft">We store only a hash, so the key cannot be shown again.</p>
          </div>
          <Secret text={token} isQuiet={!isLatest} />
          {exampleRequest === null ? null : (
            <div className="call-head">
              <p className="label">{freshKey.callTitle}</p>
              <p className="small quiet">
                Ready to run. It contains the key, and your shell may save it in its history.
              </p>
              <CopyButton text={exampleRequest} size="small">
                Copy request
              </CopyButton>
            </div>
          )}
        </div>
      </div>
      {exampleRequest === null ? null : (
        <Code label={`${freshKey.callTitle} with ${key.shown}`}>
          <Coloured text={exampleRequest} />
        </Code>
      )}
      <div className="panel-foot">
        <Check
          label="I have saved it"
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <div className="row push">
          {isStored ? (
            <Button variant="plain" size="small" onClick={hide}>
              Hide
            </Button>
          ) : null}
          <Link className="button" data-size="small" href="/playground">
            Open the playground
          </Link>
        </div>
      </div>
    </section>
  );
}

function Coloured({ text }: { text: string }) {
  return text.split(/("[^"\n]*"|'[^'\n]*')/).map((part, index) =>
    index % 2 === 1 ? (
      <span className="s" key={part}>
        {part}
      </span>
    ) : (
      part
    ),
  );
}
