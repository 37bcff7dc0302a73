import { hostname, userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { Prisma } from '../../prisma/client.ts';
import { type Acting, actingFor } from '../auth/audit/acting.ts';
import { GatewayError } from '../errors.ts';
import { newId } from '../platform/identifier.ts';
import { auditOperations } from './audit-operations.ts';
import { chainOperations } from './chain-operations.ts';
import { archiveOperations } from './database/archive-operations.ts';
import { databaseOperations } from './database/database-operations.ts';
import type { Answer, Operation, OperationsWorld } from './operations-world.ts';
import { bookOperations } from './payments/book-operations.ts';
import { feeOperations } from './payments/fee-operations.ts';
import { liabilityOperations } from './payments/liability-operations.ts';
import { paymentOperations } from './payments/payment-operations.ts';
import { payoutOperations } from './payments/payout-operations.ts';
import { printRows } from './print-rows.ts';
import { repairOperations } from './repair-operations.ts';
import { restoreOperations } from './restore/restore-operations.ts';
import { statusOperations } from './status-operations.ts';
import { tenantOperations } from './tenant-operations.ts';

const operations: Record<string, Operation> = {
  ...statusOperations,
  ...chainOperations,
  ...paymentOperations,
  ...payoutOperations,
  ...bookOperations,
  ...liabilityOperations,
  ...feeOperations,
  ...repairOperations,
  ...restoreOperations,
  ...databaseOperations,
  ...archiveOperations,
  ...tenantOperations,
  ...auditOperations,
};

/**
 * Runs one operator command, such as `merchant create --name Shop` or `status --json`. Prints its rows as tables, or as JSON with `--json`.
 * An error goes to `complain`, with the command to run next. Returns the exit code: 0 for success, 1 if the command was refused or reports
 * a fault, 2 if the arguments are invalid.
 */
export async function operate(
  world: OperationsWorld & { print: (text: string) => void; complain: (text: string) => void },
  args: readonly string[],
): Promise<number> {
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((candidate) => Object.hasOwn(operations, candidate));
  const operation = name === undefined ? undefined : operations[name];
  if (name === undefined || !operation) {
    world.complain(usage());
    return 2;
  }
  try {
    const request = readArguments(operation, args.slice(name.split(' ').length));
    const answer = await actingFor(atCommandLine(), () => operation.run(world, request));
    world.print(request.json ? printJson(answer) : printAnswer(answer));
    if (Array.isArray(answer) || answer.fault === undefined) return 0;
    world.complain(answer.fault);
    return 1;
  } catch (error) {
    const refusal = refusalOf(error, { name, operation });
    if (!refusal) throw error;
    world.complain(refusal.text);
    return refusal.code;
  }
}

/** The actor at the command line. Anyone who may run commands here is trusted to be the user that the operating system reports. */
function atCommandLine(): Acting {
  const from = { address: null, userAgent: null, requestId: newId() };
  return { actor: { kind: 'COMMAND_LINE', id: null, name: userName(), merchantId: null, appId: null }, ...from };
}

function userName(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // In a container, the user may have a numeric id without a name.
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`;
  }
}

function readArguments(operation: Operation, args: readonly string[]) {
  const options: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' } };
  for (const option of operation.options) options[option] = { type: 'string' };
  for (const flag of operation.flags ?? []) options[flag] = { type: 'boolean' };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) if (typeof value === 'string') texts[name] = value;
  const flags = new Set((operation.flags ?? []).filter((flag) => values[flag] === true));
  return { words: positionals, values: texts, flags, json: values.json === true };
}

function printJson(answer: Answer): string {
  return JSON.stringify(Array.isArray(answer) ? answer : { ...answer.sections, fault: answer.fault }, null, 2);
}

function printAnswer(answer: Answer): string {
  if (Array.isArray(answer)) return printRows(answer);
  const sections = Object.entries(answer.sections);
  return sections.map(([heading, rows]) => `${heading}\n${printRows(rows)}`).join('\n\n');
}

/** Returns the message for the operator, or null if the error is a bug. */
function refusalOf(
  error: unknown,
  { name, operation }: { name: string; operation: Operation },
): { text: string; code: 1 | 2 } | null {
  const call = `Usage: npm run ops -- ${name} ${operation.usage}`.trimEnd();
  if (isArgumentError(error)) return { text: `${error.message}\n${call}`, code: 2 };
  if (error instanceof GatewayError) {
    if (error.code === 'VALIDATION_ERROR') return { text: `${error.message}\n${call}`, code: 2 };
    const hint = error.code === 'CHAIN_UNAVAILABLE' ? 'lag' : operation.hint;
    return { text: hint === undefined ? error.message : `${error.message}\nTry: npm run ops -- ${hint}`, code: 1 };
  }
  if (!isDatabaseFault(error)) return null;
  return MISSING.has(codeOf(error) ?? '')
    ? { text: 'The database does not have the tables of this build.\nTry: npm run migrate -- deploy', code: 1 }
    : { text: 'The database does not respond. Check DATABASE_URL, and that Postgres is running.', code: 1 };
}

/** Prisma error codes: a table or column does not exist. */
const MISSING = new Set(['P2021', 'P2022']);
const UNREACHABLE = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1017',
  'ECONNREFUSED',
  'ENOTFOUND',
]);

function isDatabaseFault(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  const code = codeOf(error);
  return code !== undefined && (MISSING.has(code) || UNREACHABLE.has(code));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function isArgumentError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function usage(): string {
  const lines = Object.entries(operations).map(([name, { usage: words }]) => `  ${name} ${words}`.trimEnd());
  return `Usage: npm run ops -- <command> [options] [--json]\n${lines.join('\n')}`;
}
