import type { Database } from '../../../prisma/client.ts';

/** Reads the content of a file in chunks, so that memory does not depend on its size. The caller has found the file in its scope. */
export async function* readFile(database: Database, fileId: string): AsyncGenerator<Uint8Array> {
  for (let place = 0; ; place++) {
    const piece = await database.disputeFilePiece.findUnique({ where: { fileId_place: { fileId, place } } });
    if (!piece) return;
    yield piece.bytes;
  }
}
