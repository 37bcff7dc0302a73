import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeFolder, replacePrivateFile, underPrivateUmask, writePrivateFile } from '../../src/local/private-files.ts';
import { onTeardown } from '../setup/teardown.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-private-'));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

test('a folder of an earlier version is made private, and other files in it are unchanged', () => {
  const folder = newFolder();
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'logs'), { mode: 0o755 });
  const own = [
    ...['demo.json', 'chains.json', 'environment', 'start.pid', 'api.pid', 'worker.pid', 'indexer.pid'],
    ...['evm-31337.json', 'evm-31337.json.copy', 'evm-31337.json.pid', 'evm-31338.genesis', 'demo.json.partial'],
    ...['solana.jsonl', 'solana.genesis', 'logs/api.log', 'logs/evm-31337.log'],
  ];
  const foreign = ['notes.txt', 'my-environment', 'index.html'];
  for (const name of [...own, ...foreign]) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), 0o644);
  }
  rmSync(join(folder, 'api.pid'));
  symlinkSync(join(folder, 'notes.txt'), join(folder, 'api.pid'));

  closeFolder(folder, { passable: false });
  expect([modeOf(folder), modeOf(join(folder, 'logs'))]).toEqual(['700', '700']);
  for (const name of own)
    expect.soft([name, modeOf(join(folder, name))]).toEqual([name, name === 'api.pid' ? '644' : '600']);
  for (const name of foreign) expect.soft([name, modeOf(join(folder, name))]).toEqual([name, '644']);

  closeFolder(folder, { passable: true });
  expect([modeOf(folder), modeOf(join(folder, 'logs'))]).toEqual(['711', '700']);
});

test('a public folder such as /tmp remains public', () => {
  const folder = newFolder();
  chmodSync(folder, 0o1777);
  closeFolder(folder, { passable: false });
  expect(modeOf(folder)).toBe('1777');
  expect(modeOf(join(folder, 'logs'))).toBe('700');
});

test('new files are private with any umask, including those of child processes', () => {
  const folder = newFolder();
  const before = process.umask(0);
  try {
    writePrivateFile(join(folder, 'written'), 'x');
    replacePrivateFile(join(folder, 'replaced'), 'x');
    const touched = underPrivateUmask(() => spawnSync('touch', [join(folder, 'touched')]));
    expect(touched.status).toBe(0);
    expect(process.umask()).toBe(0);
  } finally {
    process.umask(before);
  }
  for (const name of ['written', 'replaced', 'touched'])
    expect.soft([name, modeOf(join(folder, name))]).toEqual([name, '600']);
});
