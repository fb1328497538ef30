import { ApiProblem } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { sentence } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { saveFile } from "../../save-file.ts";
import { resultsAs, type SaveFormat, saveFormats } from "./save-results.ts";
import type { ShownAnswer } from "./use-search.ts";

export function SaveMenu({ shownAnswer }: { shownAnswer: ShownAnswer }) {
  const { problem, run } = useAction();
  const download = (format: SaveFormat) =>
    run(async () => {
      const content = await resultsAs(format, shownAnswer.repeats);
      saveFile(
        content,
        `earshot-${shownAnswer.firstPage.uuid.slice(0, 8)}.${saveFormats[format].extension}`,
      );
    });
  const copy = () =>
    run(async () => {
      try {
        await navigator.clipboard.writeText(JSON.stringify(shownAnswer.results, null, 2));
      } catch {
        // Browsers provide no clipboard on insecure origins.
        throw new ApiProblem({
          code: "no_clipboard",
          status: 0,
          message: "the browser refuses to copy here: save a file instead",
        });
      }
    });
  return (
    <>
      {problem === null ? null : <span role="alert">{sentence(problem.message)}</span>}
      <Menu label="Save results" text="Save">
        <Button variant="plain" size="small" onClick={() => void copy()}>
          Copy JSON
        </Button>
        {(["ndjson", "csv", "markdown"] as const).map((format) => (
          <Button key={format} variant="plain" size="small" onClick={() => void download(format)}>
            {saveFormats[format].title}
          </Button>
        ))}
      </Menu>
    </>
  );
}
