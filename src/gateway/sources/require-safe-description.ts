import { readFileSync } from 'node:fs';
import { parse as parseGraphql } from 'graphql';
import type { SourceSettings } from './gateway-file.ts';
import { readYaml } from './read-yaml.ts';

type Place = { path: string; value: unknown };

/**
 * Throws for the first unsafe place in a description, which a third party may have written. Mesh reads other files and hosts that a
 * description refers to, replaces templates with values of this process's environment (`{env.NAME}`, `{[env].NAME}`), and turns links into
 * fields that call the source again. Therefore external references, links, and braces in text that Mesh interpolates are rejected, except
 * for `{name}` in a path that has a path parameter of that name.
 */
export function requireSafeDescription({ kind }: Pick<SourceSettings, 'kind'>, path: string): void {
  if (kind === 'graphql') {
    parseGraphql(readFileSync(path, 'utf8'));
    return;
  }
  // Aliases would allow a description that contains itself.
  const description = readYaml(path, { maxAliasCount: 0 });
  for (const place of placesIn({ path: '', value: description })) requireSafePlace(place);
  const paths = get(description, 'paths');
  if (isRecord(paths) && '$ref' in paths) throw new Error('paths: refers to another place');
  for (const [template, item] of Object.entries(isRecord(paths) ? paths : {})) {
    requireSafePath(description, { template, item });
  }
}

function* placesIn(place: Place): Generator<Place> {
  yield place;
  if (typeof place.value !== 'object' || place.value === null) return;
  for (const [name, value] of Object.entries(place.value)) {
    yield* placesIn({ path: place.path === '' ? name : `${place.path}.${name}`, value });
  }
}

/** Rejects what Mesh follows or interpolates, wherever it occurs. Braces are harmless in other text, such as a pattern. */
function requireSafePlace({ path, value }: Place): void {
  if (typeof value === 'string') {
    if (/(^|\.)\$ref$/.test(path) && !value.startsWith('#')) {
      throw new Error(`${path}: it refers to another file, ${value}: bundle it into one`);
    }
    if (/(^|\.)servers\.\d+\.(url$|variables\.)/.test(path)) requireNoBraces(path, value);
    return;
  }
  if (!isRecord(value)) return;
  if (/^components\.links$|(?<!properties\.)\bresponses\.[^.]+\.links$/.test(path)) {
    throw new Error(`${path}: links are not supported`);
  }
  if (/(^|\.)servers\.\d+\.variables$/.test(path)) requireNoBraces(path, Object.keys(value).join());
  if (typeof value.name === 'string' && typeof value.in === 'string') {
    requireNoBraces(`${path}.name`, value.name);
    if (/^(header|cookie)$/i.test(value.in)) {
      requireNoBraces(`${path}.schema.default`, get(value.schema, 'default') ?? value.default);
    }
  }
}

function requireNoBraces(path: string, value: unknown): void {
  if (typeof value === 'string' && /[{}]/.test(value)) throw new Error(`${path}: it has the template ${value}`);
}

function requireSafePath(description: unknown, { template, item }: { template: string; item: unknown }): void {
  const pathItem = resolved(description, item);
  const operations = isRecord(pathItem) ? Object.entries(pathItem) : [];
  const shared = pathParameters(description, get(pathItem, 'parameters'));
  for (const [method, operation] of operations) {
    if (!/^(get|put|post|delete|options|head|patch|trace)$/i.test(method)) continue;
    const own = pathParameters(description, get(resolved(description, operation), 'parameters'));
    const remainder = [...new Set([...shared, ...own])].reduce(
      // Replace only the first occurrence, because Mesh substitutes an argument only there.
      (text, name) => text.replace(`{${name}}`, '-'),
      template,
    );
    if (/[{}]/.test(remainder)) {
      throw new Error(`paths.${template}: each {…} must be the name of a path parameter of ${method}, and appear once`);
    }
  }
}

function pathParameters(description: unknown, parameters: unknown): string[] {
  if (!Array.isArray(parameters)) return [];
  return parameters.flatMap((parameter) => {
    const { name, in: where } = Object(resolved(description, parameter));
    return where === 'path' && typeof name === 'string' && /^[A-Za-z0-9_-]+$/.test(name) ? [name] : [];
  });
}

/** Resolves a local `$ref`, through up to eight of them. */
function resolved(description: unknown, value: unknown): unknown {
  let found = value;
  for (let hops = 0; hops < 8; hops += 1) {
    const reference = get(found, '$ref');
    if (typeof reference !== 'string') return found;
    const steps = reference.split('/').slice(1);
    found = steps
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((inside, step) => get(inside, step), description);
  }
  return undefined;
}

function get(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
