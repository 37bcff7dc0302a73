import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive, stopProcess } from '../../src/local/child-process.ts';
import { runPart } from '../../src/local/run-part.ts';
import { onTeardown } from '../setup/teardown.ts';

/** Starts a script as a part in its own folder. */
async function run(script: string, given: { folder?: string } = {}) {
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'sluice-part-'));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'part.mjs');
  writeFileSync(file, script);
  const output: string[] = [];
  let givenUp = 0;
  const part = await runPart({
    name: 'part',
    command: [file],
    folder,
    environment: { PATH: process.env.PATH },
    logFile: join(folder, 'part.log'),
    pidFile: join(folder, 'part.pid'),
    firstPauseMs: 1,
    log: (line) => output.push(line),
    onGivenUp: () => {
      givenUp += 1;
    },
  });
  onTeardown(part.stop);
  const log = () => (existsSync(join(folder, 'part.log')) ? readFileSync(join(folder, 'part.log'), 'utf8') : '');
  return { part, folder, output, log, timesGivenUp: () => givenUp };
}

const staysUp = `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); setInterval(() => {}, 1000); console.log('up');`;

function untilUp(log: () => string, times: number) {
  return expect.poll(() => log().match(/up/g)?.length ?? 0, { timeout: 30_000 }).toBe(times);
}

test('a killed part restarts, and a stopped one shuts down gracefully and stays down', async () => {
  const { part, output, log } = await run(staysUp);
  await untilUp(log, 1);
  const first = part.pid() ?? 0;
  await stopProcess(first, 'SIGKILL', 5000);
  await untilUp(log, 2);
  expect(output).toEqual([expect.stringContaining('exited (SIGKILL) and is restarted')]);
  const second = part.pid() ?? 0;
  expect(second).not.toBe(first);
  await part.stop();
  expect(isAlive(second)).toBe(false);
  expect(part.pid()).toBeUndefined();
  expect(log()).toBe('up\nup\nbye\n');
});

test('a part that keeps crashing is given up after its sixth crash, with its last output', async () => {
  const { output, timesGivenUp } = await run(`console.error('no database'); process.exit(3);`);
  await expect.poll(timesGivenUp, { timeout: 30_000 }).toBe(1);
  expect(output).toHaveLength(6);
  expect(output.at(-1)).toContain('exited too often (exit code 3)');
  expect(output.at(-1)).toContain('no database');
});

test('processes that a killed part started end with it', async () => {
  const child = `import { spawn } from 'node:child_process';
    const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    console.log('up helper=' + helper.pid + ';');
    setInterval(() => {}, 1000);`;
  const { part, log } = await run(child);
  await untilUp(log, 1);
  const helper = Number(/helper=(\d+);/.exec(log())?.[1]);
  expect(isAlive(helper)).toBe(true);
  await stopProcess(part.pid() ?? 0, 'SIGKILL', 5000);
  await expect.poll(() => isAlive(helper), { timeout: 10_000 }).toBe(false);
});

test('a part that a killed start left behind is ended before the new one starts', async () => {
  const first = await run(staysUp);
  await untilUp(first.log, 1);
  const orphan = first.part.pid() ?? 0;
  const second = await run(staysUp, { folder: first.folder });
  expect(isAlive(orphan)).toBe(false);
  expect(second.part.pid()).not.toBe(orphan);
});
