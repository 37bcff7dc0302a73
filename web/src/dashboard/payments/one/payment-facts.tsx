/** Everything that is known of a payment and does not change by the minute. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { tokenOf } from '../../../settings.ts';
import { Address } from '../../../ui/addresses/address.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Time } from '../../../ui/state/time.tsx';
import { symbolOf } from './payment-money.ts';
import styles from './payment-page.module.css';
import type { PaymentStory } from './payment-steps.ts';
import { PriceFacts } from './price-facts.tsx';

type Fact = [name: string, value: ReactNode];

export function PaymentFacts({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const entries = Object.entries(payment.metadata ?? {});
  return (
    <>
      <Card id="money" title={t('payments.facts.money')} facts={useMoney(payment)} />
      <Card id="people" title={t('payments.facts.people')} facts={usePeople(payment)} />
      <PriceFacts payment={payment} />
      <Card id="terms" title={t('payments.facts.terms')} facts={useTerms(payment)} />
      {entries.length > 0 && (
        <Card
          id="metadata"
          title={t('payments.facts.metadata')}
          facts={entries.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])}
        />
      )}
    </>
  );
}

function Card({ id, title, facts }: { id: string; title: string; facts: readonly (Fact | null)[] }) {
  return (
    <section aria-labelledby={id} className={styles.card}>
      <h2 id={id}>{title}</h2>
      <dl className={styles.facts}>
        {facts.map(
          (fact) => fact && [<dt key={`${fact[0]} name`}>{fact[0]}</dt>, <dd key={`${fact[0]} value`}>{fact[1]}</dd>],
        )}
      </dl>
    </section>
  );
}

function useMoney(payment: PaymentStory): (Fact | null)[] {
  const { t } = useTranslation();
  const formats = useFormats();
  const { cryptoAmount, cryptoTokenDecimals: decimals, leftoverAmount, platformFeeBps } = payment;
  const amount = (units: string | bigint) => `${formats.token(units, decimals ?? 0).exact} ${symbolOf(payment)}`;
  const fee = payment.ledger
    .filter(({ account }) => account === 'FEE')
    .reduce((sum, entry) => sum + BigInt(entry.amount), 0n);
  return [
    [t('payments.facts.asked'), formats.fiat(payment.amount, payment.currency)],
    cryptoAmount == null ? null : [t('payments.facts.paid'), amount(cryptoAmount)],
    leftoverAmount == null ? null : [t('payments.facts.left'), amount(leftoverAmount)],
    [
      t('payments.facts.fee'),
      fee === 0n ? formats.percent(platformFeeBps) : `${amount(fee)} (${formats.percent(platformFeeBps)})`,
    ],
    [t('payments.facts.capture'), t(`payments.facts.captureModes.${payment.captureMode}`)],
    payment.externalId === null ? null : [t('payments.facts.reference'), payment.externalId],
    [t('payments.facts.created'), <Time key="created" at={payment.createdAt} isAbsolute />],
    payment.status === 'CREATED' && payment.expiresAt
      ? [t('payments.facts.expires'), <Time key="expires" at={payment.expiresAt} />]
      : null,
    payment.timelockEndsAt && payment.settledAt === null
      ? [t('payments.facts.settles'), <Time key="settles" at={payment.timelockEndsAt} />]
      : null,
    payment.settledAt ? [t('payments.facts.settled'), <Time key="settled" at={payment.settledAt} isAbsolute />] : null,
  ];
}

function usePeople(payment: PaymentStory): (Fact | null)[] {
  const { t } = useTranslation();
  const { customerAccount: customer, authorizationWalletAddress: wallet, authorizationChainId: chainId } = payment;
  return [
    [
      t('payments.facts.customer'),
      customer ? (
        <Link key="customer" href={`/customers/${customer.id}`}>
          {customer.name ?? customer.email ?? customer.id}
        </Link>
      ) : (
        t('payments.facts.noCustomer')
      ),
    ],
    customer?.email && customer.name ? [t('payments.facts.email'), customer.email] : null,
    wallet ? [t('payments.facts.wallet'), <Address key="wallet" value={wallet} chainId={chainId} />] : null,
    payment.authorizationMethod
      ? [t('payments.facts.method'), t(`payments.facts.methods.${payment.authorizationMethod}`)]
      : null,
  ];
}

function useTerms(payment: PaymentStory): (Fact | null)[] {
  const { t } = useTranslation();
  const formats = useFormats();
  const accepted = payment.terms.find((terms) => terms.accepted);
  return [
    accepted ? [t('payments.facts.hash'), <Address key="hash" value={accepted.hash} kind="transaction" />] : null,
    accepted ? [t('payments.facts.token'), tokenOf(accepted.tokenKey)?.name ?? accepted.tokenKey] : null,
    accepted
      ? [
          t('payments.facts.signed'),
          t(accepted.signedByPayer ? 'payments.facts.signedByBoth' : 'payments.facts.signedByOperator'),
        ]
      : null,
    [t('payments.facts.timelock'), formats.span(payment.timelockDuration)],
    [t('payments.facts.disputes'), formats.span(payment.disputeStartDuration)],
    [t('payments.facts.termsCount'), formats.count(payment.terms.length)],
  ];
}
