import { type IdempotencyRequest, idempotencyRequest } from '../../../platform/idempotency/idempotency-request.ts';
import type { GraphqlContext } from './context.ts';

type IdempotentCall = { scopeId: string; operation: string; parameters: unknown; bodyKey?: string | null | undefined };

/**
 * Returns the idempotency of a mutation with the header `Idempotency-Key`, or undefined without it. Mutations that need no credential use
 * `publicIdempotencyOf` instead.
 */
export function idempotencyOf(context: GraphqlContext, call: IdempotentCall): IdempotencyRequest | undefined {
  return idempotencyRequest({ ...call, ...carriedBy(context) });
}

/**
 * Returns the same for a mutation that needs no credential, regardless of the credential that is sent. Because keys can be guessed, a key
 * is valid for the caller's network address only.
 */
export function publicIdempotencyOf(context: GraphqlContext, call: IdempotentCall): IdempotencyRequest | undefined {
  return idempotencyRequest({ ...call, ...carriedBy(context), networkAddress: context.address });
}

function carriedBy(context: GraphqlContext) {
  return {
    sealedUnder: context.world.secretKeys.answers,
    headerKey: context.idempotencyKey,
    onReplay: () => {
      context.answer.replayed = true;
    },
  };
}
