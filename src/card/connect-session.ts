import type { CardSession, DatabaseTransaction, Prisma } from '../../prisma/client.ts';
import { type IssuedToken, issueToken } from '../auth/tokens/issue-token.ts';
import { tokenSeconds } from '../auth/tokens/token.ts';
import { type AccountName, parseAccountName } from '../chains/account-id.ts';
import { type FieldFault, invalid } from '../errors.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../platform/idempotency/sealed.ts';
import { newId } from '../platform/identifier.ts';
import type { CardWorld } from './card-world.ts';
import { type ShownAccount, shownAccounts } from './linked-account.ts';
import { parseSignInMessage, signInFault } from './sign-in-message.ts';
import { isMessageSigned } from './signing/is-message-signed.ts';
import { linkedAccountsOf, requireUser } from './store.ts';

export const PROOFS_LIMIT = 20;

export type AccountProofInput = {
  account: string;
  message: string;
  signature: string;
  label?: string | null | undefined;
};

export type ConnectedSession = { session: CardSession; issued: IssuedToken; accounts: ShownAccount[] };

/**
 * Opens a session between a user and one client, and links the accounts proved by a signed sign-in message. If any proof is
 * invalid, nothing is written, and VALIDATION_ERROR names every invalid one. Each message is accepted once. Throws
 * CHAIN_UNAVAILABLE if a contract wallet's chain cannot be queried.
 */
export async function connectSession(
  world: CardWorld,
  request: {
    userId: string;
    /** The access token's id. */
    tokenId: string;
    clientOrigin: string;
    accounts: readonly AccountProofInput[];
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<ConnectedSession> {
  const { userId, clientOrigin, idempotency } = request;
  const reveal = ({ issued, ...rest }: ConnectedSession) => ({
    ...rest,
    issued: { ...issued, token: unsealed(idempotency, issued.token) },
  });
  const stored = await idempotently<ConnectedSession>(world.database, idempotency, async (write) => {
    await requireUser(world.database, { userId, sessionId: null });
    const nonce = request.tokenId.replaceAll('-', '');
    const proofs = await provenAccounts(world, { nonce, clientOrigin, accounts: request.accounts });
    const now = world.clock.now();
    const expiresAt = new Date(now.getTime() + tokenSeconds['session-connect'] * 1000);
    const subject = { audience: 'session-connect' as const, userId, sessionId: newId() };
    const issued = await issueToken(world, { subject, expiresAt });
    return await write(async (tx) => {
      const data = { id: subject.sessionId, userId, clientOrigin, expiresAt, createdAt: now };
      const session = await tx.cardSession.create({ data });
      for (const [index, proof] of proofs.entries()) {
        await spendProof(tx, { account: proof.name.caip10, nonce, now, param: `accounts[${index}].message` });
        await linkAccount(tx, { session, proof });
      }
      const accounts = shownAccounts(await linkedAccountsOf(tx, { userId, sessionId: session.id }));
      return { session, issued: { ...issued, token: sealed(idempotency, issued.token) }, accounts };
    });
  });
  return reveal(stored);
}

async function linkAccount(tx: DatabaseTransaction, { session, proof }: { session: CardSession; proof: Proven }) {
  const { userId, clientOrigin, createdAt } = session;
  const account = proof.name.caip10;
  const linked = { sessionId: session.id, label: proof.label, linkedAt: createdAt, unlinkedAt: null };
  await tx.linkedAccount.upsert({
    where: { userId_clientOrigin_account: { userId, clientOrigin, account } },
    create: { id: newId(), userId, clientOrigin, account, ...linked },
    update: linked,
  });
}

type Proven = { name: AccountName; label: string | null };

async function provenAccounts(
  world: CardWorld,
  request: { nonce: string; clientOrigin: string; accounts: readonly AccountProofInput[] },
): Promise<Proven[]> {
  const faults: FieldFault[] = [];
  const proven: Proven[] = [];
  const seen = new Set<string>();
  for (const [index, given] of request.accounts.entries()) {
    const place = `accounts[${index}]`;
    const name = parseAccountName(given.account);
    if (name === null) {
      faults.push({ param: `${place}.account`, message: 'must be a CAIP-10 account of eip155, solana or sui' });
      continue;
    }
    if (seen.has(name.caip10)) faults.push({ param: `${place}.account`, message: 'is given twice' });
    seen.add(name.caip10);
    const fault = await proofFault(world, { ...request, given, account: name });
    if (fault === null) proven.push({ name, label: given.label ?? null });
    else faults.push({ param: `${place}.${fault.field}`, message: fault.message });
  }
  if (faults.length > 0) throw invalid(faults);
  return proven;
}

async function proofFault(
  world: CardWorld,
  request: { nonce: string; clientOrigin: string; given: AccountProofInput; account: AccountName },
): Promise<{ field: 'message' | 'signature'; message: string } | null> {
  const { given, account, clientOrigin, nonce } = request;
  const parsed = parseSignInMessage(given.message);
  if (parsed === null) return { field: 'message', message: 'is not a sign-in message (EIP-4361, CAIP-122)' };
  const fault = signInFault(parsed, { account, clientOrigin, nonce, now: world.clock.now() });
  if (fault !== null) return { field: 'message', message: fault };
  const message = new TextEncoder().encode(given.message);
  const isSigned = await isMessageSigned(world, { account, message, signature: given.signature });
  return isSigned ? null : { field: 'signature', message: "is not the account's signature of this message" };
}

/** Records the proof, so that each nonce of an account is accepted once, whoever submits it first. */
async function spendProof(
  tx: DatabaseTransaction,
  proof: { account: string; nonce: string; now: Date; param: string },
): Promise<void> {
  const { account, nonce, now } = proof;
  const written = await tx.accountProof.createMany({
    data: [{ account, nonce, createdAt: now }] satisfies Prisma.AccountProofCreateManyInput[],
    skipDuplicates: true,
  });
  if (written.count === 0)
    throw invalid([{ param: proof.param, message: 'was already used: a nonce is valid once per account' }]);
}
