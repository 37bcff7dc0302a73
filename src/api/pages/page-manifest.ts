/** The manifest of the built pages: the files of each page, and those that it needs to start. */
import { z } from 'zod';

export const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    name: z.string().optional(),
    isEntry: z.boolean().optional(),
    imports: z.array(z.string()).optional(),
    css: z.array(z.string()).optional(),
  }),
);

export type Manifest = z.infer<typeof manifestSchema>;

/** Returns the scripts and styles that a page needs to start: its entry and its static imports, without those that are loaded later. */
export function filesAtFirst(manifest: Manifest, page: string): { scripts: string[]; styles: string[] } {
  const entry = Object.entries(manifest).find(([, chunk]) => chunk.isEntry && chunk.name === page);
  if (!entry) throw new Error(`The build has no page ${page}.`);
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const visit = (key: string): void => {
    const chunk = manifest[key];
    if (!chunk || scripts.has(chunk.file)) return;
    scripts.add(chunk.file);
    for (const imported of chunk.imports ?? []) visit(imported);
    for (const style of chunk.css ?? []) styles.add(style);
  };
  visit(entry[0]);
  return { scripts: [...scripts], styles: [...styles] };
}
