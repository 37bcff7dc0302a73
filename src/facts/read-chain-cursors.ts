import type { ChainCursor, Database } from '../../prisma/client.ts';

/** Returns how far every chain has been read, by chain id. */
export async function readChainCursors(database: Database): Promise<Map<number, ChainCursor>> {
  const cursors = await database.chainCursor.findMany();
  return new Map(cursors.map((cursor) => [cursor.chainId, cursor]));
}
