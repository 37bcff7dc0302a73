/** What the build of the pages says of itself: which file is whose, and what each page needs at first. */
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

/** Scripts and styles that a page cannot start without: its entry and all that it imports, not what is loaded later. */
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
