import path from 'node:path';
import { fileURLToPath } from 'node:url';

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/**
 * The path of a Foundry tool in its npm package for this platform. Its npm wrapper is not used: it exits with 0 when
 * the tool fails, and ending it leaves the tool running.
 */
export function foundryBinary(tool: 'forge' | 'anvil'): string {
  const architecture = architectures[process.arch] ?? process.arch;
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return path.join(root, `node_modules/@foundry-rs/${tool}-${process.platform}-${architecture}/bin/${tool}${suffix}`);
}
