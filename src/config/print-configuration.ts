/** `node src/config/print-configuration.ts` writes docs/configuration.md from the settings, so that the page cannot differ from them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { chainSettings } from './chain-settings.ts';
import { environmentSections } from './environment-settings.ts';
import { installationSettings } from './installation-settings.ts';

const introduction = `# Configuration

<!-- Printed by "npm run generate" from src/config. Do not edit it by hand. -->

Sluice is configured by environment variables. A process reads all of them when it starts, and reports every fault at once. An empty
variable counts as not set. \`npm start\` sets what a local installation needs, and keeps it in \`.local/environment\`.
Limits of requests are described in [operations](operations.md#request-limits), and waits for the database
[there too](operations.md#waiting-for-the-database).
`;

const perChain = `## Settings of a chain

The name of each of these variables ends with \`_\` and the chain id: \`RPC_URL_8453\` enables Base. Chains and tokens that are not built in
are described in [chains](chains.md).
`;

const local = `## Local installation

Only \`npm start\` and the commands of a local installation read these. Two checkouts run side by side with different ports.
`;

const tables = Object.entries(environmentSections).map(([title, settings]) => `## ${title}\n\n${tableOf(settings)}`);
const page = [
  introduction,
  ...tables,
  `${perChain}\n${tableOf(chainSettings, '_<chainId>')}`,
  `${local}\n${tableOf(installationSettings)}`,
].join('\n');
writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'configuration.md'), page);

function tableOf(settings: Record<string, z.ZodType>, ending = ''): string {
  const rows = Object.entries(settings).map(([name, schema]) => {
    const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const description = schema.description;
    if (description === undefined) throw new Error(`${name} has no description.`);
    return `| \`${name}${ending}\` | ${valuesOf(shape)} | ${defaultOf(shape, schema)} | ${description} |\n`;
  });
  return `| variable | values | default | meaning |\n|---|---|---|---|\n${rows.join('')}`;
}

/** Returns the accepted values, as far as a reader needs them in addition to the description. */
function valuesOf(shape: z.core.JSONSchema.BaseSchema): string {
  if (shape.enum) return shape.enum.map((value) => `\`${value}\``).join(', ');
  if (shape.type === 'integer' || shape.type === 'number') {
    const { minimum, exclusiveMinimum, maximum } = shape;
    const isInteger = shape.type === 'integer';
    const lowest =
      minimum ?? (isInteger && exclusiveMinimum !== undefined ? Number(exclusiveMinimum) + 1 : exclusiveMinimum);
    const highest = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
    const above = minimum === undefined && !isInteger ? 'above ' : '';
    if (highest !== undefined) return `${above}${lowest} to ${highest}`;
    return `${above}${lowest} or more`;
  }
  return shape.format === 'uri' ? 'URL' : 'text';
}

function defaultOf(shape: z.core.JSONSchema.BaseSchema, schema: z.ZodType): string {
  if (shape.default !== undefined) return shape.default === '' ? 'empty' : `\`${shape.default}\``;
  return schema.safeParse(undefined).success ? 'none' : 'required';
}
