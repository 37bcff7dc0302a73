/** Queries of authorizations by which exact payments are made. */
import type { ChainFact, Database, DatabaseTransaction, ExactAuthorization } from '../../../../prisma/client.ts';

/** Locks an authorization until the transaction ends. The lock of its intent, if it has one, is taken before. */
export async function lockAuthorization(tx: DatabaseTransaction, id: string): Promise<ExactAuthorization> {
  await tx.$queryRaw`SELECT id FROM exact_authorization WHERE id = ${id}::uuid FOR UPDATE`;
  return await tx.exactAuthorization.findUniqueOrThrow({ where: { id } });
}

export async function findAuthorization(
  database: Pick<Database, 'exactAuthorization'>,
  { chainId, paymentKey }: { chainId: number; paymentKey: string },
): Promise<ExactAuthorization | null> {
  return await database.exactAuthorization.findUnique({
    where: { chainId_paymentKey: { chainId, paymentKey } },
  });
}

/** The valid facts of an authorization at the confirmed height. */
export async function standingUses(
  tx: Pick<Database, 'chainFact'>,
  { chainId, paymentKey }: { chainId: number; paymentKey: string },
): Promise<ChainFact[]> {
  return await tx.chainFact.findMany({ where: { chainId, ref: paymentKey, status: { in: ['CONFIRMED', 'FINAL'] } } });
}
