import type { Database, PaymentTerms, Prisma } from '../../../prisma/client.ts';
import { ESCROW_EDITION } from '../../escrow/escrow-domain.ts';

const PAGE = 200;
/** A payment authorized in its last second is on the chain well within this time. */
const GRACE_MS = 3_600_000;

const open = ['AUTHORIZED', 'CAPTURED', 'REFUND_PENDING', 'FAILED'] as const;

/**
 * Every payment of a chain that holds money or may still receive it: payments of intents whose status is not final, and terms
 * that can be, or recently could be, authorized. Yields pages.
 */
export async function* openPayments(
  database: Database,
  { chainId, now }: { chainId: number; now: Date },
): AsyncGenerator<PaymentTerms[]> {
  const where: Prisma.PaymentTermsWhereInput = {
    chainId,
    edition: ESCROW_EDITION,
    OR: [
      { authorizeBy: { gt: new Date(now.getTime() - GRACE_MS) } },
      { paymentIntent: { status: { in: [...open] }, acceptedTermsHash: { not: null } } },
    ],
  };
  let after: string | undefined;
  for (;;) {
    const page: PaymentTerms[] = await database.paymentTerms.findMany({
      where: { ...where, ...(after === undefined ? {} : { termsHash: { gt: after } }) },
      orderBy: { termsHash: 'asc' },
      take: PAGE,
    });
    if (page.length > 0) yield page;
    after = page.at(-1)?.termsHash;
    if (page.length < PAGE || after === undefined) return;
  }
}
