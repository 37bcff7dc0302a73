/** What a buyer may spend, and on what. Amounts are decimal strings in units of the tokens, which all count one to one. */
import type { PaymentRequirements } from '@x402/core/types';

export type BudgetToken = {
  /** CAIP-2, such as `eip155:8453`. */
  network: string;
  /** The token's contract. */
  asset: string;
  /** Set by the buyer. The server's statement is not used. */
  decimals: number;
};

export type Budget = {
  /** At most this much for one call, such as `'0.10'`. */
  perCall: string;
  /** At most this much for one day in UTC. */
  perDay: string;
  /** Hosts that may be paid: `api.example.com` (over HTTPS), or an origin such as `http://localhost:4402`. */
  hosts: string[];
  /** Tokens of one and the same currency. */
  tokens: BudgetToken[];
};

export type RefusalCode =
  | 'HOST_NOT_ALLOWED'
  | 'NOTHING_PAYABLE'
  | 'PER_CALL_EXCEEDED'
  | 'PER_DAY_EXCEEDED'
  | 'INVALID_OFFER';

/** The buyer did not pay. Nothing has been signed. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

const SCALE = 18;

/** 10⁻¹⁸ units, in which tokens of different decimals are added up. */
export function toUnits(decimal: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d{1,30})(?:\.(\d{1,18}))?$/.exec(decimal) ?? [];
  if (whole === '') throw new TypeError(`${JSON.stringify(decimal)} is no decimal string such as '0.10'.`);
  return BigInt(whole + fraction.padEnd(SCALE, '0'));
}

/** Throws a BudgetError unless the origin may be paid. */
export function requireHost(budget: Budget, url: string): void {
  const { protocol, host, origin } = new URL(url);
  const isAllowed = budget.hosts.some((one) =>
    one.includes('://') ? one === origin : one === host && protocol === 'https:',
  );
  if (!isAllowed) throw new BudgetError('HOST_NOT_ALLOWED', `The budget does not allow payments to ${origin}.`);
}

export type Choice = { accepted: PaymentRequirements; units: bigint };

/** The first scheme of `schemes` that can be paid, and of its offers the cheapest. Throws a BudgetError if there is none. */
export function choose(budget: Budget, accepts: readonly PaymentRequirements[], schemes: readonly string[]): Choice {
  const payable = accepts.flatMap((accepted): Choice[] => {
    const token = budget.tokens.find((one) => isToken(one, accepted));
    if (!token || !schemes.includes(accepted.scheme) || !isPlain(accepted)) return [];
    return [{ accepted, units: BigInt(accepted.amount) * 10n ** BigInt(SCALE - token.decimals) }];
  });
  if (payable.length === 0) {
    throw new BudgetError('NOTHING_PAYABLE', 'The budget allows none of the tokens and schemes that are offered.');
  }
  const limit = toUnits(budget.perCall);
  const affordable = payable.filter(({ units }) => units <= limit).sort((one, other) => order(schemes, one, other));
  const [chosen] = affordable;
  if (!chosen)
    throw new BudgetError('PER_CALL_EXCEEDED', `The call costs more than the ${budget.perCall} of the budget.`);
  return chosen;
}

export function requireBudget(budget: Budget): void {
  toUnits(budget.perCall);
  toUnits(budget.perDay);
  if (budget.hosts.length === 0 || budget.tokens.length === 0)
    throw new TypeError('The budget names no hosts or no tokens.');
  for (const { decimals } of budget.tokens) {
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > SCALE) {
      throw new TypeError(`decimals must be an integer from 0 to ${SCALE}, not ${decimals}.`);
    }
  }
}

function order(schemes: readonly string[], one: Choice, other: Choice): number {
  const byScheme = schemes.indexOf(one.accepted.scheme) - schemes.indexOf(other.accepted.scheme);
  if (byScheme !== 0) return byScheme;
  return one.units < other.units ? -1 : Number(one.units > other.units);
}

function isToken({ network, asset }: BudgetToken, accepted: PaymentRequirements): boolean {
  return network === accepted.network && asset.toLowerCase() === String(accepted.asset).toLowerCase();
}

/** EIP-3009, for a time that is short enough to wait for. */
function isPlain({ amount, extra, maxTimeoutSeconds }: PaymentRequirements): boolean {
  const method = extra?.assetTransferMethod ?? 'eip3009';
  const isTime = Number.isInteger(maxTimeoutSeconds) && maxTimeoutSeconds > 0 && maxTimeoutSeconds <= 3_600;
  return /^[1-9]\d{0,77}$/.test(amount) && method === 'eip3009' && isTime;
}
