/**
 * GATEWAY_SOURCES: a YAML file in the format of GraphQL Mesh's configuration, with additional keys that bind and limit each source. The
 * whole file is validated before any of it takes effect, and every fault names its path. `docs/gateway.md` documents it.
 */
import { z } from 'zod';
import { canonicalId, isId } from '../../platform/identifier.ts';
import type { BreakerSettings } from './breaker.ts';

export type SourceLimits = {
  /** Limit for everything that one operation's rows need from the source together, including the time in the queue. */
  timeoutMs: number;
  maxConcurrency: number;
  /** Maximum number of queued calls. A further call fails at once. */
  maxQueue: number;
  maxCallsPerRequest: number;
  maxResponseBytes: number;
  breaker: BreakerSettings;
};

export type SourceSettings = {
  name: string;
  kind: 'openapi' | 'graphql';
  /** The description's file, relative to the configuration file. */
  description: string;
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** Prefix of the names of its types in the published schema. */
  prefix: string;
  /** Ids of the apps whose rows may be looked up in the source. */
  apps: ReadonlySet<string>;
  limits: SourceLimits;
};

export type GatewayFile = {
  sources: SourceSettings[];
  /** Names of every source in the file, including faulty entries. */
  named: ReadonlySet<string>;
  /** SDL: fields on the core's types, each with `@resolveTo`. */
  additionalTypeDefs: string;
  /** `<path>: <what is wrong, and the limit>`. If there is any fault, nothing takes effect. */
  faults: string[];
};

/** Headers that belong to the connection or are set for each call. */
const MADE_HEADERS =
  /^(accept|accept-encoding|connection|content-.*|cookie|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|x-request-id)$/;

const name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'a lower-case letter, then up to 31 of a-z, 0-9 and -');
const file = z
  .string()
  .min(1)
  .max(1024)
  .refine((path) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(path), 'a file beside the configuration, not a URL: download it')
  .regex(/^[^{}]+\.(json|ya?ml|graphqls?|gql)$/, 'a file of JSON, YAML or SDL, without braces in its name');
const handlerEntry = z.strictObject({
  source: file,
  endpoint: z.string().max(2048),
  operationHeaders: z.record(z.string().max(128), z.string().max(8192)).optional(),
});
const count = (most: number) => z.int().min(1).max(most);
const sourceEntry = z.strictObject({
  name,
  handler: z.union([z.strictObject({ openapi: handlerEntry }), z.strictObject({ graphql: handlerEntry })], {
    error: 'either openapi or graphql, with source, endpoint and operationHeaders only',
  }),
  transforms: z
    .array(
      z.strictObject({
        prefix: z.strictObject({ value: z.string().regex(/^[A-Z][A-Za-z0-9]{0,31}_?$/, 'a name like Shop or Shop_') }),
      }),
    )
    .max(1)
    .optional(),
  apps: z.array(z.string().max(256)).min(1).max(1000),
  timeoutMs: count(30_000).default(2_000),
  maxConcurrency: count(100).default(8),
  maxQueue: z.int().min(0).max(1_000).default(32),
  maxCallsPerRequest: count(100).default(20),
  maxResponseBytes: count(16_777_216).default(1_048_576),
  breaker: z
    .strictObject({ failures: count(1_000).default(5), openMs: count(600_000).default(10_000) })
    .default({ failures: 5, openMs: 10_000 }),
});
const fileShape = z.strictObject({
  sources: z.array(z.unknown()).min(1).max(20),
  additionalTypeDefs: z.string().max(65_536).default(''),
});

type SourceEntry = z.infer<typeof sourceEntry>;
type Variables = ReadonlyMap<string, string>;

/** `variables` holds the values for `{env.NAME}`. */
export function parseGatewayFile({ variables }: { variables: Variables }, contents: unknown): GatewayFile {
  const parsed = fileShape.safeParse(contents);
  if (!parsed.success)
    return { sources: [], named: new Set(), additionalTypeDefs: '', faults: issuesOf(parsed.error, '') };
  const faults: string[] = [];
  const sources: SourceSettings[] = [];
  const named = new Set<string>();
  for (const [index, raw] of parsed.data.sources.entries()) {
    const path = `sources[${index}]`;
    const entry = sourceEntry.safeParse(raw);
    const given = z.object({ name: z.string() }).safeParse(raw).data?.name;
    if (given !== undefined && named.has(given)) faults.push(`${path}.name: ${given} occurs twice in the file`);
    if (given !== undefined) named.add(given);
    if (!entry.success) {
      faults.push(...issuesOf(entry.error, path));
      continue;
    }
    sources.push(settingsOf(entry.data, { path, variables, faults }));
  }
  return { sources, named, additionalTypeDefs: parsed.data.additionalTypeDefs, faults };
}

type Notes = { path: string; variables: Variables; faults: string[] };

function settingsOf(entry: SourceEntry, notes: Notes): SourceSettings {
  const { name, handler, transforms, apps, ...limits } = entry;
  const kind = 'openapi' in handler ? 'openapi' : 'graphql';
  const given = 'openapi' in handler ? handler.openapi : handler.graphql;
  const path = `${notes.path}.handler.${kind}`;
  const endpoint = interpolated(given.endpoint, { ...notes, path: `${path}.endpoint` });
  if (endpoint !== undefined) {
    const fault = endpointFault(endpoint);
    if (fault !== null) notes.faults.push(`${path}.endpoint: ${fault}`);
  }
  return {
    name,
    kind,
    description: given.source,
    endpoint: endpoint ?? '',
    headers: headersOf(given.operationHeaders ?? {}, { ...notes, path: `${path}.operationHeaders` }),
    prefix: transforms?.[0]?.prefix.value ?? pascal(name),
    apps: new Set(apps.flatMap((app, index) => appOf(app, { ...notes, path: `${notes.path}.apps[${index}]` }))),
    limits,
  };
}

function appOf(template: string, notes: Notes): string[] {
  const app = interpolated(template, notes);
  if (app === undefined) return [];
  if (!isId(app)) notes.faults.push(`${notes.path}: the id of an app, a UUID`);
  return [canonicalId(app)];
}

function endpointFault(endpoint: string): string | null {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return 'an http(s) URL';
  if (url.username !== '' || url.password !== '') return 'a URL without a user: put credentials into operationHeaders';
  if (url.search !== '' || url.hash !== '' || /[{}]/.test(endpoint)) return 'a URL without query, fragment and braces';
  return null;
}

function headersOf(given: Record<string, string>, notes: Notes): Record<string, string> {
  const headers = Object.entries(given).flatMap(([header, template]) => {
    const path = `${notes.path}.${header}`;
    if (!/^[A-Za-z0-9-]+$/.test(header)) notes.faults.push(`${path}: the name of a header, of letters, digits and -`);
    if (MADE_HEADERS.test(header.toLowerCase()))
      notes.faults.push(`${path}: is set by Sluice, and cannot be configured`);
    const value = interpolated(template, { ...notes, path });
    if (value === undefined) return [];
    if (!/^[\x20-\x7e]+$/.test(value)) notes.faults.push(`${path}: printable ASCII characters only`);
    return [[header.toLowerCase(), value] as const];
  });
  return Object.fromEntries(headers);
}

/** Returns the text with `{env.NAME}` replaced. Adds a fault and returns undefined for a missing variable and for any other braces. */
function interpolated(template: string, { path, variables, faults }: Notes): string | undefined {
  let isComplete = true;
  const text = template.replace(/\{([^{}]*)\}/g, (_match, inside: string) => {
    const variable = /^env\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(inside.trim())?.[1];
    const value = variable === undefined ? undefined : variables.get(variable);
    if (value !== undefined) return value;
    isComplete = false;
    faults.push(
      variable === undefined
        ? `${path}: {${inside}} is not {env.NAME}; nothing of a request is sent to a source`
        : `${path}: the variable ${variable} is not set, or is one of Sluice's own settings`,
    );
    return '';
  });
  return isComplete ? text : undefined;
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()).replace(/-/g, '');
}

function issuesOf(error: z.ZodError, path: string): string[] {
  return error.issues.map((issue) => {
    const inside = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
    return `${`${path}${inside}`.replace(/^\./, '') || 'the file'}: ${issue.message}`;
  });
}
