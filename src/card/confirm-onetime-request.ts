import { type DatabaseTransaction, type OnetimeRequest, Prisma, transaction } from '../../prisma/client.ts';
import { parseAccountName } from '../chains/account-id.ts';
import { GatewayError, invalid, notFound } from '../errors.ts';
import type { CardWorld } from './card-world.ts';
import { reportedStatus, signingMethods } from './onetime-request.ts';
import { verifyWantedSignature } from './signing/verify-wanted-signature.ts';
import { readWantedSignature } from './signing/wanted-signature.ts';

export type Decision = { decision: 'APPROVE'; signature: string } | { decision: 'REJECT' };

/**
 * Records the holder's decision. An approval requires a valid signature; a wrong one leaves the request PENDING. Repeating the
 * same decision returns the first result. Throws NOT_FOUND if the request is not the token's, VALIDATION_ERROR for a wrong
 * signature, INVALID_STATE for a decision other than the first, EXPIRED, and CHAIN_UNAVAILABLE if a node is needed and does not
 * respond.
 */
export async function confirmOnetimeRequest(
  world: CardWorld,
  request: { userId: string; tokenRequestId: string; id: string; decision: Decision },
): Promise<OnetimeRequest> {
  const { id, decision } = request;
  const found = await world.database.onetimeRequest.findFirst({ where: { id, userId: request.userId } });
  if (!found || id !== request.tokenRequestId) throw notFound('onetime request');
  if (!requireOpen(found, decision, world.clock.now())) return found;
  const signed = decision.decision === 'APPROVE' ? await requireSignature(world, found, decision.signature) : null;
  try {
    return await transaction(world.database, async (tx) => {
      const locked = await lockRequest(tx, id);
      const now = world.clock.now();
      if (!requireOpen(locked, decision, now)) return locked;
      return tx.onetimeRequest.update({
        where: { id },
        data: signed ? { status: 'SIGNED', confirmedAt: now, ...signed } : { status: 'REJECTED', confirmedAt: now },
      });
    });
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
      throw wrongSignature('is the transaction of another request');
    }
    throw error;
  }
}

/** Whether the request is still open; false if it has been decided in the same way. */
function requireOpen(request: OnetimeRequest, decision: Decision, now: Date): boolean {
  const status = reportedStatus(request, now);
  switch (status) {
    case 'PENDING':
      return true;
    case 'EXPIRED':
      throw new GatewayError('EXPIRED', `The request expired at ${request.expiresAt.toISOString()}.`);
    case 'SIGNED':
    case 'REJECTED':
      if ((status === 'SIGNED') === (decision.decision === 'APPROVE')) return false;
      throw new GatewayError('INVALID_STATE', `The request is already ${status}.`);
    default:
      return status satisfies never;
  }
}

async function requireSignature(world: CardWorld, request: OnetimeRequest, signature: string) {
  const account = parseAccountName(request.account);
  const encoding = signingMethods.find((one) => one.method === request.method)?.resultEncoding;
  if (!account || !encoding)
    throw new Error(`Request ${request.id} has an account or a method that this version does not support.`);
  const wanted = readWantedSignature({ method: request.method, params: request.params, account });
  const { fault, txHash } = await verifyWantedSignature(world, {
    account,
    wanted,
    signature,
    askedAt: request.createdAt,
  });
  if (fault !== null) throw wrongSignature(fault);
  return { signature, encoding, txHash };
}

async function lockRequest(tx: DatabaseTransaction, id: string): Promise<OnetimeRequest> {
  await tx.$queryRaw`SELECT id FROM onetime_request WHERE id = ${id}::uuid FOR UPDATE`;
  return await tx.onetimeRequest.findUniqueOrThrow({ where: { id } });
}

function wrongSignature(message: string): GatewayError {
  return invalid([{ param: 'signature', message }]);
}
