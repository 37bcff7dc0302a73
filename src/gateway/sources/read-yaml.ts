import { readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';

/**
 * Parses a YAML or JSON file. Throws an Error whose message contains the position and kind of the fault but nothing from the file, because
 * a line may contain a secret. `maxAliasCount: 0` rejects aliases.
 */
export function readYaml(path: string, options: { maxAliasCount?: number } = {}): unknown {
  const text = readFileSync(path, 'utf8');
  try {
    return parse(text, { ...options, logLevel: 'error' });
  } catch (error) {
    // The parser's own errors quote the file, so they are not attached as the cause either.
    if (!(error instanceof YAMLParseError)) throw new Error('an alias cannot be resolved');
    const [at] = error.linePos ?? [];
    throw new Error(`${at ? `line ${at.line}, column ${at.col}` : 'the file'}: ${error.code}`);
  }
}
