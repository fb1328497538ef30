import { useState } from "preact/compat";
import type {
  AuthorizationStep,
  CredentialKindListing,
  CredentialListing,
  NewCredentialRequest,
} from "../../../../src/http/dashboard/contract/credentials.ts";
import { ApiProblem, api } from "../../api.ts";
import { useAction } from "../../components/use-action.ts";
import { isHttpUrl, type Question } from "./authorization.ts";
import { emptyErrors, type FieldErrors, fieldErrors } from "./field-errors.ts";

const path = "/dashboard/api/credentials";

/**
 * Connects with the fields of a kind, or in the browser in two steps. Most errors in the second
 * step end the authorization and return to the first.
 */
export function useConnectFlow(
  initialKind: CredentialKindListing,
  onDone: (credential: CredentialListing) => Promise<void>,
) {
  const [kind, setKind] = useState(initialKind);
  const [hasTokens, setHasTokens] = useState(false);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [emptyFieldErrors, setEmptyFieldErrors] = useState<FieldErrors>({});
  const [question, setQuestion] = useState<Question | null>(null);
  const [answer, setAnswer] = useState("");
  const [answerError, setAnswerError] = useState<string | null>(null);
  const [submittedForm, setSubmittedForm] = useState("");
  const [hasEnded, setEnded] = useState(false);
  const submission = useAction();

  const { authorization } = kind;
  const isInBrowser = authorization !== null && !hasTokens;
  const fields = isInBrowser ? authorization.fields : kind.fields;
  const formKey = `${kind.kind} ${isInBrowser}`;
  // Errors of another kind do not apply.
  const problem = submittedForm === formKey ? submission.problem : null;
  const errors = fieldErrors(problem);

  const continueWith = async (step: AuthorizationStep) => {
    setAnswer("");
    setAnswerError(null);
    if (step.state === "question") setQuestion(step);
    else await onDone(step.credential);
  };

  const send = () => {
    const newErrors = emptyErrors(fields, values);
    setEmptyFieldErrors(newErrors);
    if (Object.keys(newErrors).length > 0) return;
    const submittedFields = Object.fromEntries(
      fields.map(({ name }) => [name, values[name] ?? ""]),
    );
    const body: NewCredentialRequest = {
      platform: kind.platform,
      kind: kind.kind,
      fields: submittedFields,
    };
    setSubmittedForm(formKey);
    setEnded(false);
    void submission.run(async () => {
      if (isInBrowser) {
        await continueWith(await api.post<AuthorizationStep>(`${path}/authorizations`, body));
        return;
      }
      const created = await api.post<{ credential: CredentialListing }>(path, body);
      await onDone(created.credential);
    });
  };

  const reply = ({ id }: Question) => {
    if (!isHttpUrl(answer.trim())) {
      setAnswerError("Copy the full address from the browser's address bar, starting with http.");
      return;
    }
    void submission.run(async () => {
      try {
        const step = await api.post<AuthorizationStep>(`${path}/authorizations/${id}`, { answer });
        await continueWith(step);
      } catch (error) {
        if (error instanceof ApiProblem && endsAuthorization(error)) {
          setQuestion(null);
          setEnded(true);
        }
        throw error;
      }
    });
  };

  return {
    kind,
    isInBrowser,
    hasTokens,
    fields,
    values,
    errors: { ...errors, ...emptyFieldErrors },
    /** An error that belongs to no visible field. */
    problem: fields.some(({ name }) => name in errors) ? null : problem,
    question,
    /** Whether an error in the second step ended the authorization. */
    hasEnded,
    answer,
    answerError,
    isPending: submission.isPending,
    choose: (newKind: CredentialKindListing, newHasTokens: boolean) => {
      setKind(newKind);
      setHasTokens(newHasTokens);
      setEmptyFieldErrors({});
    },
    write: (name: string, value: string) => {
      setValues({ ...values, [name]: value });
      setEmptyFieldErrors({});
    },
    writeAnswer: (text: string) => {
      setAnswer(text);
      setAnswerError(null);
    },
    submit: () => (question === null ? send() : reply(question)),
  };
}

/** Without a response, or after a rate limit, the authorization stays open. */
const endsAuthorization = ({ status }: ApiProblem): boolean => status !== 0 && status !== 429;
