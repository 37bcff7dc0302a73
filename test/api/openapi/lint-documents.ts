/**
 * `npm run lint:openapi`: the recommended rules of Spectral and of Redocly find nothing in the published documents, be it
 * an error, a warning or a hint.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { z } from 'zod';

const root = join(import.meta.dirname, '../../..');
const files = ['schema/openapi/payments.json', 'schema/openapi/card.json'];

const reportSchema = z.object({
  problems: z.array(
    z.object({
      ruleId: z.string(),
      message: z.string(),
      location: z.array(z.object({ pointer: z.string().nullish() })),
    }),
  ),
});

const findings: string[] = [];
for (const file of files) findings.push(...byRedocly(file), ...(await bySpectral(file)));
for (const finding of findings) console.error(finding);
console.log(`OpenAPI: ${findings.length} findings in ${files.join(' and ')}`);
process.exitCode = findings.length === 0 ? 0 : 1;

async function bySpectral(file: string): Promise<string[]> {
  const spectral = new spectralCore.Spectral();
  // The declared type of a ruleset requires `extends`, which this one does not use.
  const recommended = spectralRulesets.oas as RulesetDefinition;
  spectral.setRuleset({ extends: [recommended] });
  const results = await spectral.run(JSON.parse(readFileSync(join(root, file), 'utf8')));
  return results.map(({ code, message, path }) => `${file}#/${path.join('/')}: ${message} (Spectral, ${code})`);
}

function byRedocly(file: string): string[] {
  const program = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const ended = spawnSync(process.execPath, [program, 'lint', '--extends=recommended', '--format=json', file], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  // It prints a report even if it finds problems. Anything else is a failure of the run.
  if (!ended.stdout.trimStart().startsWith('{')) throw new Error(`Redocly printed no report: ${ended.stderr}`);
  const { problems } = reportSchema.parse(JSON.parse(ended.stdout));
  return problems.map(
    ({ ruleId, message, location: [place] }) => `${file}${place?.pointer ?? ''}: ${message} (Redocly, ${ruleId})`,
  );
}
