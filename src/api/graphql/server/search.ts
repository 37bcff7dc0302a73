/** A search text as it is written: the database's wildcards in it stand for themselves. */
export function containing(text: string): { contains: string; mode: 'insensitive' } {
  return { contains: text.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' };
}
