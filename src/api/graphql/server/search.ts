/** Matches a search text literally: wildcards of the database in it are escaped. */
export function containing(text: string): { contains: string; mode: 'insensitive' } {
  return { contains: text.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' };
}
