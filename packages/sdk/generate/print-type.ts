/** Prints JSON Schema as TypeScript, with descriptions as documentation. */
import type { Schema } from './openapi-document.ts';

/** Components with another name in the package. `Event` and `Error` are global types of the platform. */
const otherNames: Record<string, string> = { Event: 'SluiceEvent', Error: 'ErrorBody' };

export function typeName(component: string): string {
  return otherNames[component] ?? component;
}

export function printType(schema: Schema, indent = ''): string {
  if (schema.$ref) return typeName(schema.$ref.split('/').at(-1) ?? '');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return [...new Set(alternatives.map((one) => printType(one, indent)))].join(' | ');
  if (schema.allOf) return schema.allOf.map((one) => printType(one, indent)).join(' & ');
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => printType({ ...schema, type }, indent)).join(' | ');
  }
  if (schema.type === 'array') return `Array<${schema.items ? printType(schema.items, indent) : 'unknown'}>`;
  if (schema.type === 'object' || schema.properties) return printObject(schema, indent);
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
  return 'unknown';
}

export function printDeclaration(name: string, schema: Schema): string {
  const documentation = comment([schema.description], '');
  if (schema.properties) return `${documentation}export interface ${name} ${printObject(schema, '')}\n`;
  return `${documentation}export type ${name} = ${printType(schema)};\n`;
}

/** Returns a documentation comment with the non-empty paragraphs, or an empty string if there are none. */
export function comment(paragraphs: (string | undefined)[], indent: string): string {
  const text = paragraphs.filter((paragraph) => paragraph !== undefined && paragraph !== '').join('\n\n');
  if (text === '') return '';
  const lines = text.replaceAll('*/', '*\u200b/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}`).join('\n')}\n${indent} */\n`;
}

function printObject(schema: Schema, indent: string): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) {
    const values = typeof schema.additionalProperties === 'object' ? printType(schema.additionalProperties) : 'unknown';
    return `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const mark = schema.required?.includes(name) ? '' : '?';
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${comment([property.description], inner)}${inner}${key}${mark}: ${printType(property, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}
