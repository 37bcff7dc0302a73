import type { Principal } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import type { Submitter } from '../../../payments/disputes/evidence.ts';
import type { GraphqlContext } from '../server/context.ts';
import { refusal, scopeOf } from '../server/scope-of.ts';

type Found = { paymentIntentId: string; appId: string; merchantId: string };

/**
 * Returns the side for which a caller submits evidence in a dispute, and the scope of its idempotency keys. For a payer, the
 * scope is the payment, so that a payer cannot use up a key of the merchant. Throws NOT_FOUND if the dispute does not belong to
 * the caller.
 */
export async function submitterIn(
  context: GraphqlContext,
  disputeId: string,
): Promise<{ by: Submitter; keyScopeId: string }> {
  const { principal } = context;
  const dispute = await findDispute(context, disputeId);
  const scope = { merchantId: dispute.merchantId, appId: dispute.appId };
  switch (principal.kind) {
    case 'session':
      return { by: { party: 'PAYER', name: null, scope }, keyScopeId: dispute.paymentIntentId };
    case 'payer':
      return { by: { party: 'PAYER', name: principal.wallet, scope }, keyScopeId: dispute.paymentIntentId };
    case 'apiKey':
    case 'member': {
      const own = await scopeOf(context);
      return {
        by: { party: 'MERCHANT', name: await nameOf(context, principal), scope: own },
        keyScopeId: own.appId ?? own.merchantId,
      };
    }
    case 'anonymous':
    case 'card':
    case 'platform':
      throw refusal(principal);
    default:
      return principal satisfies never;
  }
}

/** The database is limited to what the caller may read: a payer can read only the dispute of its own payment. */
async function findDispute({ database }: GraphqlContext, id: string): Promise<Found> {
  const found = await database.dispute.findUnique({
    where: { id },
    select: {
      paymentIntentId: true,
      paymentIntent: { select: { appId: true, app: { select: { merchantId: true } } } },
    },
  });
  if (!found) throw notFound('dispute');
  const { appId, app } = found.paymentIntent;
  return { paymentIntentId: found.paymentIntentId, appId, merchantId: app.merchantId };
}

async function nameOf(
  { database }: Pick<GraphqlContext, 'database'>,
  principal: Extract<Principal, { kind: 'apiKey' | 'member' }>,
): Promise<string | null> {
  if (principal.kind === 'member') {
    const member = await database.member.findUnique({ where: { id: principal.memberId }, select: { email: true } });
    return member?.email ?? null;
  }
  const key = await database.apiKey.findUnique({ where: { id: principal.apiKeyId }, select: { prefix: true } });
  return key?.prefix ?? null;
}
