import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret, signatureHeaders } from '../../src/events/webhooks/webhook-signature.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

describe('the receiver in docs/events.md', () => {
  it('accepts each webhook once and rejects unsigned and old requests', async () => {
    const page = await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8');
    const source = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'sluice-receiver-'));
    onTeardown(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'receiver.mjs'), source);
    const [secret, port] = [newWebhookSecret(), await freePort()];
    const printed: string[] = [];
    const child: ChildProcess = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTeardown(async () => void child.kill('SIGKILL'));
    child.stdout?.on('data', (chunk) => printed.push(String(chunk)));
    const body = JSON.stringify({ type: 'invoice.paid', data: { id: 'i1' } });
    const post = async (key: string, sentAt = new Date()) => {
      const headers = signatureHeaders({ id: 'm1', sentAt, body, secrets: [key] });
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
    };
    await expect.poll(() => post(secret).catch(() => 0), { timeout: 20_000 }).toBe(204);
    expect(await post(secret)).toBe(204);
    expect(await post(newWebhookSecret())).toBe(400);
    expect(await post(secret, new Date(Date.now() - 600_000))).toBe(400);
    expect(printed.join('')).toBe('invoice.paid i1\n');
  });
});
