import { referenceName, type Schema } from "./open-api.ts";

type Row = { name: string; schema: Schema; isRequired: boolean };

export function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return linkTo(referenceName(schema.$ref));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeText))].join(" or ");
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => code(JSON.stringify(value))).join(", ");
  }
  if (schema.items !== undefined) return `list of ${typeText(schema.items)}`;
  const types = Array.isArray(schema.type) ? schema.type.join(" or ") : schema.type;
  return `${schema.format ?? types ?? "anything"}${formatBounds(schema)}`;
}

function linkTo(name: string): string {
  return `[${name}](schemas.md#${name.toLowerCase()})`;
}

function formatBounds({ minimum, maximum, minLength, maxLength }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  if (maximum !== undefined) return `, at most ${maximum}`;
  if (maxLength !== undefined) return `, ${minLength ?? 0} to ${maxLength} characters`;
  return "";
}

export function memberTable(schema: Schema): string {
  const rows = listRows(schema, "");
  if (rows.length === 0) return "";
  return table(
    ["field", "type", "meaning"],
    rows.map(({ name, schema: member, isRequired }) => [
      code(name),
      `${typeText(member)}${isRequired ? "" : ", optional"}`,
      member.description ?? "",
    ]),
  );
}

function listRows({ properties = {}, required = [] }: Schema, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const row = { name, schema, isRequired: required.includes(key) };
    const inner = schema.items ?? schemaAlternative(schema) ?? schema;
    const suffix = schema.items === undefined ? "." : "[].";
    return [row, ...(inner.properties === undefined ? [] : listRows(inner, `${name}${suffix}`))];
  });
}

function schemaAlternative(schema: Schema): Schema | undefined {
  return schema.anyOf?.find((alternative) => alternative.properties !== undefined);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
}

export function code(text: string): string {
  return `\`${text}\``;
}
