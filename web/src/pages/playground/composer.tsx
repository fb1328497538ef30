import "./composer.css";
import { platforms } from "@earshot/query/tree";
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from "preact/compat";
import { fetchMethods, isSearch, type Method, methods } from "../../../../src/platforms/methods.ts";
import type { SearchPlatform } from "../../../../src/platforms/source.ts";
import { Button } from "../../components/button.tsx";
import { CompletionList, completionId } from "../../components/completion.tsx";
import { type Option, Segmented, Select } from "../../components/field.tsx";
import { Query } from "../../components/query.tsx";
import { coarseDuration } from "../../components/time.tsx";
import { platformNames } from "../../platforms.ts";
import { Diagnostics } from "./diagnostics.tsx";
import type { QueryReading } from "./read-query.ts";
import {
  maxQueryLength,
  needsQuery,
  type Request,
  sizesFor,
  withMethod,
} from "./search-request.ts";
import { TimeFields } from "./time-fields.tsx";
import { useCompletion } from "./use-completion.ts";
import { useShownDiagnostics, useTypingPause } from "./use-shown-diagnostics.ts";

const otherMethods: readonly Option<Method | "">[] = [
  { value: "", label: "Other methods" },
  ...fetchMethods.map((method) => ({ value: method, label: method })),
];

const placeholders = {
  text: "Words, phrases, operators",
  user: "Username, ID or URL of an account",
  post: "ID or URL of a post",
  space: "ID or URL of a Space",
  none: "This method needs no query",
} as const;

const platformOptions: readonly Option<SearchPlatform>[] = [
  { value: "social", label: "All platforms" },
  ...platforms.map((platform) => ({ value: platform, label: platformNames[platform] })),
];

export function Composer({
  request,
  reading,
  field,
  liveWindowMs,
  foot,
  onChange,
  onSearch,
  onHelp,
  onHistory,
  onAnnounce,
}: {
  request: Request;
  reading: QueryReading;
  field: RefObject<HTMLTextAreaElement | null>;
  liveWindowMs: number;
  foot: ReactNode;
  onChange(request: Request): void;
  onSearch(): void;
  onHelp(): void;
  onHistory(): void;
  /** Announces to screen readers. */
  onAnnounce(text: string): void;
}) {
  const id = useId();
  const { query } = request;
  const completion = useCompletion(query, field, (text) => onChange({ ...request, query: text }));
  const [isSettled, settle] = useTypingPause(query);
  const shownDiagnostics = useShownDiagnostics(
    reading.diagnostics,
    isSettled,
    query,
    completion.caret,
  );
  const [areTimesOpen, setTimesOpen] = useState(false);
  const hasTimes = areTimesOpen || request.startTime !== undefined || request.endTime !== undefined;
  const [submittedQuery, setSubmittedQuery] = useState<string | null>(null);
  const isText = isSearch(request.method);
  const openCompletions = isText ? completion.open : null;

  const firstMessage = isSettled ? (reading.diagnostics[0]?.message ?? null) : null;
  const latestOnAnnounce = useRef(onAnnounce);
  useEffect(() => {
    latestOnAnnounce.current = onAnnounce;
  });
  useEffect(() => {
    if (firstMessage !== null) latestOnAnnounce.current(firstMessage);
  }, [firstMessage]);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    completion.close();
    settle();
    setSubmittedQuery(query);
    if (reading.isEmpty || reading.hasError) field.current?.focus();
    else onSearch();
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.isComposing) return;
    if (isText && completion.press(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      submit();
    }
  };
  const hasNotes = openCompletions === null && shownDiagnostics.length > 0;
  // The notes float while typing, so that the page does not move.
  const isFloating = query !== submittedQuery;
  return (
    <form className="panel composer" onSubmit={submit}>
      <div className="composer-bar">
        <Segmented
          legend="Search method"
          options={methodOptions(liveWindowMs)}
          value={request.method}
          onPick={(method) => onChange(withMethod(request, method))}
        />
        <Select
          aria-label="Other methods"
          options={otherMethods}
          value={isSearch(request.method) ? "" : request.method}
          onPick={(method) =>
            onChange(withMethod(request, method === "" ? "searchbyquery" : method))
          }
        />
        <Select
          aria-label="Platform"
          options={platformOptions}
          value={request.platform}
          onPick={(platform) => onChange({ ...request, platform })}
        />
        <Select
          aria-label="Posts to return"
          options={sizesFor(request).map((size) => ({
            value: String(size),
            label: `${size} ${size === 1 ? "post" : "posts"}`,
          }))}
          value={String(request.maxResults)}
          onPick={(size) => onChange({ ...request, maxResults: Number(size) })}
        />
        {isText ? (
          <Button variant="plain" aria-expanded={hasTimes} onClick={() => setTimesOpen(!hasTimes)}>
            Time
          </Button>
        ) : null}
      </div>
      {hasTimes && isText ? <TimeFields request={request} onChange={onChange} /> : null}
      <Query
        pieces={reading.pieces}
        field={field}
        value={query}
        aria-label="Query"
        disabled={!needsQuery(request.method)}
        aria-describedby={hasNotes ? `${id}-notes` : undefined}
        aria-invalid={isSettled && reading.hasError ? true : undefined}
        aria-autocomplete="list"
        aria-controls={openCompletions === null ? undefined : `${id}-completion`}
        aria-activedescendant={
          openCompletions === null
            ? undefined
            : completionId(`${id}-completion`, completion.selectedIndex)
        }
        placeholder={placeholders[methods[request.method].query]}
        enterkeyhint="search"
        onChange={(event) => {
          completion.onCaretMove(event.currentTarget);
          onChange({ ...request, query: event.currentTarget.value });
        }}
        onKeyUp={(event) => completion.onCaretMove(event.currentTarget)}
        onMouseUp={(event) => completion.onCaretMove(event.currentTarget)}
        onBlur={completion.close}
        onKeyDown={press}
      />
      {openCompletions === null ? null : (
        <div className="composer-notes" data-floating="">
          <CompletionList
            id={`${id}-completion`}
            items={openCompletions.items}
            typedLength={openCompletions.end - openCompletions.start}
            selectedIndex={completion.selectedIndex}
            onAccept={completion.accept}
          />
        </div>
      )}
      {hasNotes ? (
        <div
          className="composer-notes"
          id={`${id}-notes`}
          data-floating={isFloating ? "" : undefined}
        >
          <Diagnostics
            query={query}
            diagnostics={shownDiagnostics}
            canonical={reading.hasError ? null : reading.canonical}
            maxLength={maxQueryLength(request.method)}
            onFix={(text) => {
              onChange({ ...request, query: text });
              settle();
              field.current?.focus();
            }}
          />
        </div>
      ) : null}
      <div className="composer-foot">
        {openCompletions === null ? (
          <>
            {isSettled && reading.hasError ? <span>Not sent: fix the error first.</span> : foot}
            <button type="button" className="link" onClick={onHelp}>
              Operators
            </button>
            <button type="button" className="link" onClick={onHistory}>
              History
            </button>
          </>
        ) : (
          <span className="for-keys">Tab to accept, Escape to close</span>
        )}
        <Button type="submit" variant="primary" aria-disabled={reading.hasError ? true : undefined}>
          Search<kbd>Enter</kbd>
        </Button>
      </div>
    </form>
  );
}

function methodOptions(liveWindowMs: number): readonly Option<Method>[] {
  return [
    { value: "searchbyquery", label: `Live, ${coarseDuration(liveWindowMs)}` },
    { value: "searchbyfullarchive", label: "Full archive" },
  ];
}
