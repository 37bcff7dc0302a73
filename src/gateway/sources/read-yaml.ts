import { readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';

/**
 * The value in a file of YAML or JSON. Throws an Error whose message has the position and the kind of a fault, and nothing that
 * the file contains: a line may have a secret in it. `maxAliasCount: 0` refuses aliases.
 */
export function readYaml(path: string, options: { maxAliasCount?: number } = {}): unknown {
  const text = readFileSync(path, 'utf8');
  try {
    return parse(text, { ...options, logLevel: 'error' });
  } catch (error) {
    // The parser's own errors quote the file, so they are not the cause either.
    if (!(error instanceof YAMLParseError)) throw new Error('an alias cannot be resolved');
    const [at] = error.linePos ?? [];
    throw new Error(`${at ? `line ${at.line}, column ${at.col}` : 'the file'}: ${error.code}`);
  }
}
