/** Queries of authorizations by which exact payments are made. */
import type { ChainFact, Database, DatabaseTransaction, ExactAuthorization } from '../../../../prisma/client.ts';
import { toBigInt } from '../../../prices/base-units.ts';

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

/** The facts of an authorization that stand at the confirmed height. */
export async function standingUses(
  tx: Pick<Database, 'chainFact'>,
  { chainId, paymentKey }: { chainId: number; paymentKey: string },
): Promise<ChainFact[]> {
  return await tx.chainFact.findMany({ where: { chainId, ref: paymentKey, status: { in: ['CONFIRMED', 'FINAL'] } } });
}

/** Base units that pending authorizations of the payer will move. */
export async function readReserved(
  database: Pick<Database, 'exactAuthorization'>,
  { token, signed }: { token: { chainId: number; address: string }; signed: { from: string } },
): Promise<bigint> {
  const sum = await database.exactAuthorization.aggregate({
    where: {
      chainId: token.chainId,
      token: token.address.toLowerCase(),
      payer: signed.from.toLowerCase(),
      status: 'PENDING',
      // Once it is in a block, the balance shows it.
      txHash: null,
    },
    _sum: { amount: true },
  });
  return sum._sum.amount === null ? 0n : toBigInt(sum._sum.amount);
}
