/** The command that lists payments whose obstacle does not resolve by itself. */
import { NATIVE } from '../../chains/chain.ts';
import { invalid, notFound } from '../../errors.ts';
import { SOLANA_SENDER } from '../../payments/actions/payout-order.ts';
import { printAddress } from '../../payments/payouts/payout-fields.ts';
import { isId } from '../../platform/identifier.ts';
import { printUnits } from '../../prices/quote.ts';
import { renewalCauseCodes } from '../../subscriptions/renewal/renewal-cause.ts';
import type { Operation, OperationsWorld, Row } from '../operations-world.ts';
import { chainIdOf, wholeNumber } from '../read-option.ts';
import {
  type ClosedChainRow,
  type DecisionRow,
  type DepositRow,
  type PayoutRow,
  type RenewalRow,
  readClosedChains,
  readDecisions,
  readDeposits,
  readRenewals,
  readSendings,
  readUndeliveredPayouts,
  type SendingRow,
} from './read-stuck-payments.ts';
import {
  type Advised,
  byUrgency,
  type Cause,
  payoutCause,
  renewalCause,
  sendingCause,
  type WaitsFor,
  waitsFor,
  whatToDo,
} from './stuck-payment.ts';

/** Default age after which a transaction that is not in a block counts as stuck. */
const STUCK_MINUTES = '10';
/** Default time before its deadline at which a manual capture is listed. */
const CAPTURE_HOURS = '24';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MONTH_MINUTES = 43_200;
const YEAR_HOURS = 8_760;

export const paymentOperations: Record<string, Operation> = {
  'payments stuck': {
    usage: '[--chain <id>] [--app <id>] [--minutes 10] [--capture-hours 24]',
    options: ['chain', 'app', 'minutes', 'capture-hours'],
    hint: 'merchant list',
    async run(world, { values, words }) {
      const [unknown] = words;
      if (unknown !== undefined) throw invalid([{ param: unknown, message: 'is not an option of this command' }]);
      const chainId = values.chain === undefined ? null : chainIdOf(values.chain);
      const appId = values.app === undefined ? null : await appOf(world, values.app);
      const minutes = wholeNumber(values.minutes ?? STUCK_MINUTES, '--minutes', { least: 0, most: MONTH_MINUTES });
      const captureHours = wholeNumber(values['capture-hours'] ?? CAPTURE_HOURS, '--capture-hours', {
        least: 1,
        most: YEAR_HOURS,
      });
      return await listStuck(world, { chainId, appId, minutes, captureHours });
    },
  },
};

async function appOf({ database }: OperationsWorld, text: string): Promise<string> {
  if (!isId(text)) throw invalid([{ param: '--app', message: 'must be a UUID' }]);
  const app = await database.app.findUnique({ where: { id: text }, select: { id: true } });
  if (!app) throw notFound('app');
  return app.id;
}

/** One row per thing that is waited for. */
type StuckRow = {
  waitsFor: WaitsFor;
  cause: Cause;
  of: 'payment' | 'subscription' | 'transaction' | 'chain';
  id: string;
  appId: string | null;
  chainId: number | null;
  /** In whole units. */
  amount: string | null;
  /** A token's symbol, or a currency code. */
  unit: string | null;
  since: string;
  why: string;
  do: string;
};

async function listStuck(
  world: OperationsWorld,
  request: { chainId: number | null; appId: string | null; minutes: number; captureHours: number },
): Promise<Row[]> {
  const { database } = world;
  const now = world.clock.now();
  const { chainId, appId } = request;
  const scope = { chainId, appId, now };
  const before = new Date(now.getTime() - request.minutes * MINUTE_MS);
  const dueBefore = new Date(now.getTime() + request.captureHours * HOUR_MS);
  const [sendings, payouts, decisions, deposits, renewals, chains] = await Promise.all([
    readSendings(database, { ...scope, before }),
    readUndeliveredPayouts(database, scope),
    readDecisions(database, { ...scope, dueBefore }),
    readDeposits(database, scope),
    readRenewals(database, scope),
    readClosedChains(database, scope),
  ]);
  const rows = [
    ...sendings.flatMap((sending) => sendingRow(world, sending, before)),
    ...payouts.map((payout) => payoutRow(world, payout)),
    ...decisions.map((decision) => decisionRow(world, decision)),
    ...deposits.map((deposit) => depositRow(world, deposit)),
    ...renewals.flatMap((renewal) => renewalRow(world, renewal)),
    ...chains.flatMap((chain) => chainRows(world, chain)),
  ];
  return rows.sort(byUrgency);
}

function sendingRow(world: OperationsWorld, sending: SendingRow, before: Date): StuckRow[] {
  const cause = sendingCause(sending, { isOld: sending.since < before });
  if (cause === null) return [];
  const { id, chainId, sender, purpose, type, paymentIntentId } = sending;
  const isPoor = cause === 'GAS' && sender !== SOLANA_SENDER;
  const error = isPoor
    ? `The key ${printAddress(sender)} does not have enough of the coin to pay for gas.`
    : sending.error;
  const what = type ?? purpose;
  const why = {
    UNSENT: `${what} is queued but has not been sent.`,
    UNMINED: `${what} was signed but is not in a block.`,
    GIVEN_UP: `${what} was given up: ${error ?? 'no reason was recorded.'}`,
  };
  return [
    {
      ...row(world, cause, { ...sending, outgoingId: id }),
      ...(paymentIntentId === null ? { of: 'transaction', id } : { of: 'payment', id: paymentIntentId }),
      chainId,
      since: sending.since.toISOString(),
      why: cause === 'UNSENT' || cause === 'UNMINED' || cause === 'GIVEN_UP' ? why[cause] : `${what}: ${error ?? ''}`,
    },
  ];
}

const owners = { PAYER: 'payer', MERCHANT: 'merchant', FEE_RECIPIENT: 'fee recipient' } as const;

function payoutRow(world: OperationsWorld, payout: PayoutRow): StuckRow {
  const { role, keptAt, note } = payout;
  const recipient = printAddress(payout.recipient);
  const cause = payoutCause(payout);
  const where = keptAt === null ? 'the escrow' : keptAt;
  const noted = note === null ? '' : ` Acknowledged: ${note}`;
  return {
    ...row(world, cause, { ...payout, recipient, acknowledged: note !== null }),
    of: 'payment',
    id: payout.paymentIntentId,
    since: payout.since.toISOString(),
    why: `The ${owners[role]} ${recipient} could not be paid, and ${where} keeps its share.${noted}`,
  };
}

function decisionRow(world: OperationsWorld, decision: DecisionRow): StuckRow {
  const { cause } = decision;
  const until = decision.until.toISOString();
  const why = {
    SETTLEMENT: `The timelock has ended, but the merchant cannot be paid at present. The next check is at ${until}.`,
    DISPUTE: `A dispute is open. Its deadline is ${until}.`,
    CAPTURE: `It is authorized and must be captured manually. Its deadline is ${until}.`,
  };
  return {
    ...row(world, cause, decision),
    of: 'payment',
    id: decision.paymentIntentId,
    since: decision.since.toISOString(),
    why: why[cause],
  };
}

function depositRow(world: OperationsWorld, deposit: DepositRow): StuckRow {
  const { address, refundAddress, paymentIntentId, since, reason } = deposit;
  return {
    ...row(world, 'DEPOSIT', { ...deposit, recipient: refundAddress }),
    of: 'payment',
    id: paymentIntentId,
    since: since.toISOString(),
    why: `The funds at the deposit address ${address} cannot be returned to ${refundAddress}: ${reason}`,
  };
}

function renewalRow(world: OperationsWorld, renewal: RenewalRow): StuckRow[] {
  const code = renewalCauseCodes.find((one) => one === renewal.code);
  const cause = code === undefined ? null : renewalCause(code);
  if (cause === null) return [];
  const { subscriptionId, amount, currency, message } = renewal;
  return [
    {
      ...row(world, cause, { ...renewal, amount: null, isRenewal: true }),
      of: 'subscription',
      id: subscriptionId,
      amount,
      unit: currency,
      since: renewal.since.toISOString(),
      why: `${renewal.code}: ${message ?? 'The renewal was not charged.'}`,
    },
  ];
}

function chainRows(world: OperationsWorld, chain: ClosedChainRow): StuckRow[] {
  const { chainId, pausedAt, haltedAt, haltReason, payments } = chain;
  const open = payments === 1 ? '1 payment is' : `${payments} payments are`;
  const of = { of: 'chain', id: String(chainId) } as const;
  const about = { chainId, appId: null, amount: null, tokenKey: null };
  const rows: StuckRow[] = [];
  if (haltedAt !== null) {
    const why = `The chain is halted, and ${open} in escrow on it: ${haltReason ?? 'no reason was recorded.'}`;
    rows.push({ ...row(world, 'CHAIN_HALTED', about), ...of, since: haltedAt.toISOString(), why });
  }
  if (pausedAt !== null) {
    const why = `An operator has paused new payments on the chain. ${open} in escrow on it and can continue.`;
    rows.push({ ...row(world, 'CHAIN_PAUSED', about), ...of, since: pausedAt.toISOString(), why });
  }
  return rows;
}

type About = { chainId: number | null; appId: string | null; amount: string | null; tokenKey: string | null };

/** Fields common to every row: the amount in whole tokens, and what to do. */
function row(
  { registry }: OperationsWorld,
  cause: Cause,
  about: About & Omit<Advised, 'chainId' | 'chain' | 'coin' | 'symbol' | 'tokenKey'>,
): Omit<StuckRow, 'of' | 'id' | 'since' | 'why'> {
  const { chainId, appId, amount, tokenKey } = about;
  const chain = chainId === null ? undefined : registry.chain(chainId);
  const token = tokenKey === null ? undefined : registry.token(tokenKey);
  const coin = chain?.tokens.find(({ address }) => address === NATIVE)?.symbol ?? 'the native coin';
  const symbol = token?.symbol ?? tokenKey ?? 'the token';
  return {
    waitsFor: waitsFor(cause),
    cause,
    appId,
    chainId,
    amount: amount === null ? null : printUnits(BigInt(amount), token?.decimals ?? 0),
    unit: amount === null ? null : symbol,
    do: whatToDo(cause, { ...about, chain: chain?.name ?? `chain ${chainId}`, coin, symbol }),
  };
}
