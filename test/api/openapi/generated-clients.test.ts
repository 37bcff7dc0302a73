/**
 * Clients that others generate from the published documents: they compile under the strictest options, and what they
 * call is the API itself.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import openapiTs, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TestApp } from '../../setup/api/api.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { callingByFetch, callingByHeyApi } from './client-programs.ts';

const modules = resolve(import.meta.dirname, '../../../node_modules');
const folder = mkdtempSync(join(tmpdir(), 'sluice-clients-'));
const documents = { payments: '/openapi.json', card: '/v1/openapi.json' };
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const NOBODY = '0x00000000000000000000000000000000DeaDBeef';

const outputSchema = z.object({
  made: z.object({ amount: z.string(), status: z.string() }),
  read: z.string(),
  listed: z.array(z.string()),
  missing: z.string(),
  refused: z.object({ code: z.string(), param: z.string().optional(), faults: z.array(z.string()) }),
  balances: z.array(z.string()),
  login: z.object({ resendAfterSeconds: z.number(), refused: z.string() }),
});

let api: RestApi;

beforeAll(async () => {
  api = await openRestApi();
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a client that is generated from the published documents', () => {
  it('by openapi-typescript and openapi-fetch compiles strictly and calls the API', async () => {
    const program = join(folder, 'by-fetch');
    mkdirSync(program);
    for (const [name, path] of Object.entries(documents)) {
      const types = astToString(await openapiTs(new URL(path, api.url)));
      writeFileSync(join(program, `${name}.ts`), types);
    }
    await expectCalls(await compiled(program, callingByFetch, { exactOptionalPropertyTypes: true }), api.merchantA);
  }, 240_000);

  it('by hey-api compiles strictly and calls the API', async () => {
    const program = join(folder, 'by-hey-api');
    for (const [name, path] of Object.entries(documents)) {
      await createClient({
        input: `${api.url}${path}`,
        output: { path: join(program, name), module: { extension: '.js' } },
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
        logs: { level: 'silent', file: false },
      });
    }
    await expectCalls(await compiled(program, callingByHeyApi), api.merchantB);
  }, 240_000);
});

/**
 * Type-checks and compiles a program beside what was generated for it, and says where it is. The client that hey-api prints does
 * not compile where an optional property must not be undefined.
 */
async function compiled(program: string, source: string, stricter: object = {}): Promise<string> {
  writeFileSync(join(program, 'main.ts'), source);
  const options = {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noFallthroughCasesInSwitch: true,
    skipLibCheck: true,
    outDir: 'built',
    rootDir: '.',
    ...stricter,
  };
  writeFileSync(join(program, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['main.ts'] }));
  const faults = await run([join(modules, 'typescript7/bin/tsc'), '-p', program]).then(
    () => '',
    (error: { stdout?: string; message: string }) => error.stdout || error.message,
  );
  expect(faults).toBe('');
  return join(program, 'built/main.js');
}

async function expectCalls(program: string, { secretKey }: TestApp): Promise<void> {
  const { stdout } = await run([program], {
    ...process.env,
    API_URL: api.url,
    API_KEY: secretKey,
    UNKNOWN_ID: UNKNOWN,
    WALLET: NOBODY,
  });
  expect(outputSchema.parse(JSON.parse(stdout))).toEqual({
    made: { amount: '12.50', status: 'CREATED' },
    read: '12.50',
    listed: ['12.50'],
    missing: 'NOT_FOUND',
    refused: { code: 'VALIDATION_ERROR', faults: ['amount', 'currency'] },
    balances: ['CHAIN_UNAVAILABLE', 'VALIDATION_ERROR'],
    login: { resendAfterSeconds: 60, refused: 'AUTHENTICATION_ERROR' },
  });
}

/** Runs next to the API, which is served by this process. */
function run(parameters: string[], env = process.env): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, parameters, { env });
}
