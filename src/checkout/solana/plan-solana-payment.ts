import { GatewayError, invalid } from '../../errors.ts';
import { solanaTermsHash, solanaTermsToJson } from '../../escrow/solana/solana-terms.ts';
import { referenceOf, vaultAddress, vaultKeypair } from '../../escrow/solana/vault.ts';
import { printUnits } from '../../prices/quote.ts';
import type { CheckoutWorld } from '../checkout-world.ts';
import type { PaymentToPlan, PlannedQuote } from '../planned-quote.ts';
import type { SolanaWay } from '../way-to-pay.ts';
import { isSettleable } from './is-settleable.ts';
import { paymentTransaction } from './payment-transaction.ts';
import { quotedSolanaTerms } from './quoted-solana-terms.ts';
import { readSolanaCheckout } from './read-solana-checkout.ts';
import { solanaPayUrl } from './solana-pay-url.ts';

/** Shown to every payer before paying, because no contract holds the money here. */
const CUSTODY = 'It is held by the payment gateway itself, not by a contract, until it is settled or refunded.';

/**
 * Returns the terms of a payment to the intent's vault and its single step: a transaction to sign, and the same payment as a Solana Pay
 * URL, which is the only form if no wallet was given. Writes nothing. Throws VALIDATION_ERROR for an amount of SOL that a fresh account
 * cannot hold or that no recipient could receive, and for a mint that cannot be used for payments; and CHAIN_UNAVAILABLE.
 */
export async function planSolanaPayment(
  world: CheckoutWorld,
  way: SolanaWay,
  asked: PaymentToPlan,
): Promise<PlannedQuote> {
  const { solana, quoteSeconds } = world.config;
  if (solana.vaultSecret === undefined) {
    throw new GatewayError('CHAIN_UNAVAILABLE', `Chain ${way.chain.chainId} accepts no payments in this installation.`);
  }
  const { chainId } = way.chain;
  const { intent, quoteId, merchant, now } = asked;
  const { cryptoAmount: amount, evidence } = asked.quoted;
  const reading = await world.solanaNodes.asking(chainId, (connection) => readSolanaCheckout({ connection }, way));
  const { mint } = reading;
  const feeRecipient = solana.feeRecipient ?? null;
  const settled = { token: way.token, amount, feeBps: intent.platformFeeBps, merchant, feeRecipient };
  if (!mint && amount < reading.smallestAccount) {
    const least = printUnits(reading.smallestAccount, way.token.decimals);
    throw invalid([
      { param: 'tokenKey', message: `at least ${least} ${way.token.symbol} can be paid to a new account` },
    ]);
  }
  if (!(await world.solanaNodes.asking(chainId, (connection) => isSettleable(connection, settled)))) {
    throw invalid([
      {
        param: 'tokenKey',
        message: `the amount of ${way.token.symbol} is too small to be paid out`,
      },
    ]);
  }
  const owner = vaultKeypair(solana.vaultSecret, intent.id).address;
  const reference = referenceOf(quoteId);
  const terms = quotedSolanaTerms({
    chainId,
    quoteId,
    intent,
    app: asked.app,
    // The payer is read from the chain; this address is used if the money came from no account.
    payer: way.payer ?? merchant,
    merchant,
    mint: mint?.address ?? null,
    amount,
    evidence,
    vaultOwner: owner,
    vault: await vaultAddress(owner, mint),
    reference,
    base: Math.max(Math.floor(now.getTime() / 1000), reading.timestamp),
    quoteSeconds,
    feeRecipient,
  });
  const printed = `${printUnits(amount, way.token.decimals)} ${way.token.symbol}`;
  const pay = { amount, reference, memo: quoteId };
  const label = asked.app.name;
  return {
    termsHash: solanaTermsHash({ chainId, terms }),
    terms: solanaTermsToJson(terms),
    authorizeBy: new Date(terms.payBy * 1000),
    operatorSignature: '',
    plan: { kind: 'direct' },
    steps: [
      {
        kind: 'solanaTransaction',
        transaction: way.payer === null ? null : paymentTransaction({ ...pay, ...reading, payer: way.payer, owner }),
        paymentUrl: solanaPayUrl({
          ...pay,
          recipient: owner,
          decimals: way.token.decimals,
          mint: terms.mint,
          label,
          message: `Pay ${printed}. ${CUSTODY}`,
        }),
        description: `Pay ${printed}. ${CUSTODY}`,
      },
    ],
    walletBalance: reading.balance,
    walletAllowance: 0n,
  };
}
