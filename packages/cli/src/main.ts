#!/usr/bin/env node
/** The command line: finds the command, passes its arguments, and reports an error in one line. */
import { parseArgs } from 'node:util';
import { SluiceApiError, SluiceError } from '@sluice/sdk';
import { type Command, UsageError } from './command.ts';
import { listen } from './commands/listen.ts';
import { login } from './commands/login.ts';
import { logs } from './commands/logs.ts';
import { getPayment, listPayments, refundPayment } from './commands/payments.ts';
import { trigger } from './commands/trigger.ts';

const commands: Record<string, Command> = {
  login,
  listen,
  trigger,
  logs,
  'payments list': listPayments,
  'payments get': getPayment,
  'payments refund': refundPayment,
};

const general = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** Ctrl-C stops a command that follows events, and is not an error. */
const stopped = new AbortController();
process.once('SIGINT', () => stopped.abort());
process.once('SIGTERM', () => stopped.abort());
process.stdout.on('error', () => process.exit(0));

process.exitCode = await run(process.argv.slice(2));

async function run(words: string[]): Promise<number> {
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((one) => one in commands);
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || !command) return showHelp(words[0]);
  const isJson = words.includes('--json');
  try {
    const { values, positionals } = parseArgs({
      args: words.slice(name.split(' ').length),
      options: { ...general, ...command.options },
      allowPositionals: true,
    });
    if (values.help) {
      console.log(`sluice ${name} ${command.usage}\n\n${command.summary}`);
      return 0;
    }
    await command.run({ values, positionals, isJson, signal: stopped.signal });
    return 0;
  } catch (error) {
    if (stopped.signal.aborted) return 0;
    return report(error, { isJson, usage: `sluice ${name} ${command.usage}` });
  }
}

function showHelp(word: string | undefined): number {
  const isWrong = word !== undefined && !['help', '--help', '-h'].includes(word);
  const rows = Object.entries(commands).map(
    ([name, { usage, summary }]) => `  sluice ${name} ${usage}\n      ${summary}`,
  );
  const text = `${isWrong ? `There is no command "${word}".\n\n` : ''}Commands:\n${rows.join('\n')}\n\nEvery command takes --json and --help.`;
  if (isWrong) console.error(text);
  else console.log(text);
  return isWrong ? 2 : 0;
}

/** Returns 2 for invalid arguments, and 1 for a command that failed. */
function report(error: unknown, { isJson, usage }: { isJson: boolean; usage: string }): number {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  const message = error instanceof Error ? error.message : String(error);
  if (isJson) {
    const { code, details, requestId, status } =
      error instanceof SluiceApiError ? error : ({} as Partial<SluiceApiError>);
    console.error(JSON.stringify({ error: { code, message, details, requestId, status } }));
  } else {
    console.error(message);
    if (error instanceof SluiceApiError && error.requestId) console.error(`Request ${error.requestId}.`);
    if (error instanceof SluiceError && error.retryable) console.error('The same command may succeed later.');
    if (isUsage) console.error(`Usage: ${usage}`);
  }
  return isUsage ? 2 : 1;
}
