/** Prints the example of a method, which its documentation shows and the tests run. */
import type { Method } from './describe-methods.ts';
import { exampleArguments } from './example-arguments.ts';
import { singular } from './name-method.ts';

/** The id that stands for any resource in the OpenAPI document. */
const SAMPLE_ID = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';

export type Example = { text: string; freeNames: string[] };

export function exampleOf(method: Method): Example {
  const written = exampleArguments[`${method.resource}.${method.name}`];
  const given = written ?? sampleArguments(method);
  const inPath = new Set(method.path.match(/\{slug\}/) ? ['slug'] : []);
  const call = `sluice.${method.resource}.${method.name}(${[...method.pathVariables, given].filter((one) => one !== '').join(', ')})`;
  const inArguments = [...given.matchAll(/(?<=[{,:]\s)(\w+Id|walletAddress|txHash|slug)(?=[ ,}])/g)];
  const freeNames = new Set([...method.pathVariables, ...inPath, ...inArguments.map(([name]) => name)]);
  return { text: statement(method, call), freeNames: [...freeNames] };
}

function sampleArguments({ takes }: Method): string {
  return takes
    .filter(({ isRequired }) => isRequired)
    .map(({ kind, example }) =>
      kind === 'file' ? "new Blob(['%PDF-1.7'], { type: 'application/pdf' })" : print(example),
    )
    .join(', ');
}

function statement({ returns, type, resource, name }: Method, call: string): string {
  const isComponent = !/(Result|Item|Event)$/.test(type);
  const isOwn = ['list', 'get', 'create', 'update'].includes(name);
  const result = isComponent ? lowerFirst(type) : isOwn ? singular(resource) : 'result';
  if (returns === 'none') return `await ${call};`;
  if (returns === 'file') return `const file = await ${call};\nconsole.log(await file.text());`;
  if (returns === 'pages') return `for await (const ${result} of ${call}) console.log(${result});`;
  if (returns === 'list') return `const ${resource === 'reports' ? 'rows' : resource} = await ${call};`;
  return `const ${result} = await ${call};`;
}

/** Prints a value as idiomatic TypeScript. A sample id becomes a variable with the name of its property. */
function print(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(print).join(', ')}]`;
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([key, one]) => (one === SAMPLE_ID ? key : `${key}: ${print(one)}`));
  return `{ ${entries.join(', ')} }`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
