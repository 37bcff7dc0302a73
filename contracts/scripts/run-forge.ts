import { spawn } from 'node:child_process';
import { foundryBinary } from './foundry-binary.ts';

export type ForgeResult = { status: number; output: string };

/** Runs forge in a folder and returns its exit code and what it printed, both streams together. */
export function runForge(cwd: string, options: { args: string[]; env: Record<string, string> }): Promise<ForgeResult> {
  return new Promise((resolve, reject) => {
    const forge = spawn(foundryBinary('forge'), options.args, {
      cwd,
      env: { ...process.env, ...options.env, FOUNDRY_DISABLE_NIGHTLY_WARNING: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    forge.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    forge.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    forge.on('error', reject);
    forge.on('close', (code) => resolve({ status: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}
