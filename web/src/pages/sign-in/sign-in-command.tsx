import { commandText } from "../../command-text.ts";
import "../../components/code.css";
export function SignInCommand({ label }: { label: string }) {
  return (
    <>
      <p className="label">{label}</p>
      <pre className="code boxed" role="region" tabIndex={0} aria-label="Command">
        {commandText("sign-in")}
      </pre>
      <p className="small soft">
        In the container: <code>node bin/earshot.mjs sign-in</code>. It prints a link that works
        once. Open it in this browser.
      </p>
    </>
  );
}
