import type { OnetimeRequest, Prisma } from '../../prisma/client.ts';
import { type IssuedToken, issueToken } from '../auth/tokens/issue-token.ts';
import { type AccountName, accountOn, parseAccountName, parseChainName } from '../chains/account-id.ts';
import { type FieldFault, GatewayError, invalid } from '../errors.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../platform/idempotency/sealed.ts';
import { newId } from '../platform/identifier.ts';
import type { CardCaller, CardWorld } from './card-world.ts';
import { describeRequest } from './display/describe-request.ts';
import { LONGEST_REQUEST_SECONDS, PARAMS_BYTES, signingMethods } from './onetime-request.ts';
import { readSolanaWire, signersOf } from './signing/is-solana-transaction-signed.ts';
import { readWantedSignature, type WantedSignature } from './signing/wanted-signature.ts';
import { callersSession, requireUser } from './store.ts';

export type StartedRequest = { request: OnetimeRequest; issued: IssuedToken };

/**
 * Creates a PENDING request to be signed by an account, and a token for that one request. Its parameters are validated and
 * described now, so that no request is created that could not be verified once signed. Throws VALIDATION_ERROR that names the invalid
 * parameter, and AUTHORIZATION_ERROR for an origin other than the session's.
 */
export async function startOnetimeRequest(
  world: CardWorld,
  request: {
    caller: CardCaller;
    clientOrigin: string;
    /** CAIP-2. */
    chainId: string;
    /** CAIP-10, or an address on that chain. */
    account: string;
    method: string;
    params: unknown;
    expirySeconds?: number | null | undefined;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<StartedRequest> {
  const { caller, clientOrigin, method, params, idempotency } = request;
  const account = requireAccount(request);
  requireMethod(account, method);
  if (Buffer.byteLength(JSON.stringify(params) ?? '') > PARAMS_BYTES) {
    throw invalid([{ param: 'params', message: `at most ${PARAMS_BYTES} bytes as JSON` }]);
  }
  const wanted = readWantedSignature({ method, params, account });
  await requireFitting(account, wanted);
  const user = await requireUser(world.database, caller);
  const session = await callersSession(world.database, caller);
  if (session && session.clientOrigin !== clientOrigin) {
    throw new GatewayError('AUTHORIZATION_ERROR', `The session belongs to ${session.clientOrigin}.`, {
      param: 'clientOrigin',
    });
  }
  const reveal = ({ request: made, issued }: StartedRequest) => ({
    request: made,
    issued: { ...issued, token: unsealed(idempotency, issued.token) },
  });
  const stored = await idempotently<StartedRequest>(world.database, idempotency, async (write) => {
    const display = await describeRequest(world, { account, clientOrigin, wanted });
    const now = world.clock.now();
    const expiresAt = new Date(now.getTime() + (request.expirySeconds ?? LONGEST_REQUEST_SECONDS) * 1000);
    const subject = { audience: 'onetime-connect' as const, userId: user.id, requestId: newId() };
    const issued = await issueToken(world, { subject });
    const data = {
      id: subject.requestId,
      userId: user.id,
      clientOrigin,
      chainId: account.caip2,
      account: account.caip10,
      method,
      params: jsonOf(params),
      display,
      expiresAt,
      createdAt: now,
    };
    return await write(async (tx) => ({
      request: await tx.onetimeRequest.create({ data }),
      issued: { ...issued, token: sealed(idempotency, issued.token) },
    }));
  });
  return reveal(stored);
}

function requireAccount(request: { chainId: string; account: string }): AccountName {
  const faults: FieldFault[] = [];
  const chain = parseChainName(request.chainId);
  if (!chain)
    faults.push({ param: 'chainId', message: 'must be a CAIP-2 chain of eip155, solana or sui, such as eip155:1' });
  const account = request.account.includes(':')
    ? parseAccountName(request.account)
    : chain && accountOn(chain, request.account);
  if (!account && (chain || request.account.includes(':'))) {
    faults.push({ param: 'account', message: 'must be a CAIP-10 account, or an address of the chain' });
  }
  if (chain && account && account.caip2 !== chain.caip2) {
    faults.push({ param: 'account', message: `is on ${account.caip2}, not on ${chain.caip2}` });
  }
  if (!account || faults.length > 0) throw invalid(faults);
  return account;
}

function requireMethod(account: AccountName, method: string): void {
  const offered = signingMethods.filter((one) => one.namespace === account.namespace && one.enabled);
  if (offered.some((one) => one.method === method)) return;
  const names = offered.map((one) => one.method).join(', ');
  throw invalid([{ param: 'method', message: `is not offered for ${account.namespace}; offered: ${names}` }]);
}

/**
 * A Solana transaction must require the account's signature, and a message must not be a transaction, because its signature would
 * authorize it.
 */
async function requireFitting(account: AccountName, wanted: WantedSignature): Promise<void> {
  if (wanted.kind === 'solanaTransaction') {
    const wire = readSolanaWire(wanted.transaction);
    if (wire && (await signersOf(wire.message)).includes(account.address)) return;
    throw invalid([{ param: 'params.transaction', message: 'is not a transaction that the account signs' }]);
  }
  if (account.namespace !== 'solana' || wanted.kind !== 'message') return;
  if ((await signersOf(wanted.message)).includes(account.address)) {
    throw invalid([{ param: 'params.message', message: 'is a transaction of the account, not a message' }]);
  }
}

/** Only narrows the type: the value came from JSON. */
function jsonOf(params: unknown): Prisma.InputJsonValue {
  return JSON.parse(JSON.stringify(params));
}
