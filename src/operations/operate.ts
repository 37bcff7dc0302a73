import { parseArgs } from 'node:util';
import { GatewayError } from '../errors.ts';
import { chainOperations } from './chain-operations.ts';
import type { Operation, OperationsWorld } from './operations-world.ts';
import { printRows } from './print-rows.ts';
import { tenantOperations } from './tenant-operations.ts';

const operations: Record<string, Operation> = { ...tenantOperations, ...chainOperations };

/**
 * Runs one command of an operator: `merchant create --name Shop`, `status --json`. Prints its rows as a table, or as
 * JSON with `--json`; a refusal goes to `complain`. Answers the exit code: 0 done, 1 refused, 2 not understood.
 */
export async function operate(
  world: OperationsWorld & { print: (text: string) => void; complain: (text: string) => void },
  args: readonly string[],
): Promise<number> {
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((candidate) => candidate in operations);
  const operation = name === undefined ? undefined : operations[name];
  if (name === undefined || !operation) {
    world.complain(usage());
    return 2;
  }
  try {
    const request = readArguments(operation, args.slice(name.split(' ').length));
    const rows = await operation.run(world, request);
    world.print(request.json ? JSON.stringify(rows, null, 2) : printRows(rows));
    return 0;
  } catch (error) {
    if (error instanceof GatewayError) world.complain(error.message);
    else if (isArgumentError(error)) world.complain(`${error.message}\nUsage: ops ${name} ${operation.usage}`);
    else throw error;
    return error instanceof GatewayError && error.code !== 'VALIDATION_ERROR' ? 1 : 2;
  }
}

function readArguments(operation: Operation, args: readonly string[]) {
  const options: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' } };
  for (const option of operation.options) options[option] = { type: 'string' };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) if (typeof value === 'string') texts[name] = value;
  return { words: positionals, values: texts, json: values.json === true };
}

function isArgumentError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function usage(): string {
  const lines = Object.entries(operations).map(([name, { usage: words }]) => `  ${name} ${words}`.trimEnd());
  return `Usage: ops <command> [options] [--json]\n${lines.join('\n')}`;
}
