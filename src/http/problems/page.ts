import { type ProblemCode, problemCodes, problems, problemType } from "./problems.ts";

export function problemPage(code: ProblemCode): string {
  const { title, example } = problems[code];
  const body = JSON.stringify(problemExample(code), null, 2);
  return `# ${title}

${summary(code)}

## Cause

${problems[code].cause}

## Fix

${fixList(code)}

## Example

${example.request}

\`\`\`json
${body}
\`\`\`
`;
}

export function problemReference(): string {
  const sections = problemCodes.map((code) => {
    const { title, status, retryable, cause } = problems[code];
    const facts = `${status}${retryable ? ", retryable" : ""}`;
    return `### ${code}\n\n**${title}** (${facts}). ${cause}\n\n${fixList(code)}\n`;
  });
  return sections.join("\n");
}

export function problemExample(code: ProblemCode): Record<string, unknown> {
  const { status, title, retryable, example } = problems[code];
  const { detail, hint = problems[code].hint, errors, isSubmission } = example;
  return {
    type: problemType(code),
    title,
    status,
    detail,
    code,
    retryable,
    request_id: "5f0c3c1e-7f0b-4a55-8a7e-7f3f5a0f3f10",
    ...(hint === undefined ? {} : { hint }),
    ...(errors === undefined ? {} : { errors }),
    ...(isSubmission ? { uuid: "" } : {}),
    error: detail,
  };
}

function summary(code: ProblemCode): string {
  const { status, retryable } = problems[code];
  return `Status ${status}, code \`${code}\`. ${retryable ? "The same request can succeed later." : "Repeating the same request will not help."}`;
}

function fixList(code: ProblemCode): string {
  return problems[code].fix.map((step) => `- ${step}`).join("\n");
}
