import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Direct and indirect imports of files at run time: the packages, with the files that import them, and the tree's files. */
export function importedBy(
  root: string,
  entries: readonly string[],
): { packages: Map<string, string[]>; files: Set<string> } {
  const packages = new Map<string, string[]>();
  const files = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file) || !/\.[jt]sx?$/.test(file) || !existsSync(join(root, file))) continue;
    files.add(file);
    for (const specifier of importsOf(root, file)) {
      if (specifier.startsWith('.')) waiting.push(join(dirname(file), specifier));
      else if (!/^(node|ponder):/.test(specifier)) {
        const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
        packages.set(name, [...(packages.get(name) ?? []), file]);
      }
    }
  }
  const missing = entries.filter((file) => !files.has(file));
  if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}.`);
  return { packages, files };
}

/** Imports that remain when types are stripped, including those of `require.resolve` and `import.meta.resolve`. */
function importsOf(root: string, file: string): string[] {
  const found: string[] = [];
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) note(node.moduleSpecifier);
    if (ts.isExportDeclaration(node) && !node.isTypeOnly && node.moduleSpecifier) note(node.moduleSpecifier);
    if (ts.isCallExpression(node) && /^(import|(import\.meta|require)\.resolve)$/.test(node.expression.getText())) {
      const [argument] = node.arguments;
      if (argument) note(argument);
    }
    ts.forEachChild(node, visit);
  };
  const note = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node)) found.push(node.head.text);
  };
  visit(source);
  return found;
}
