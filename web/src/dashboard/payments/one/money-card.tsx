/** The money of a payment: the amounts paid, returned, charged as fees and left, with their value at the time of the payment. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../../../ui/class-names.ts';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Time } from '../../../ui/state/time.tsx';
import { type Fact, FactList } from './fact-list.tsx';
import { awaitsPayout, fiatAtPayment, gasSums, moneySums } from './money-sums.ts';
import { symbolOf } from './payment-money.ts';
import styles from './payment-page.module.css';
import type { PaymentStory } from './payment-steps.ts';

export function MoneyCard({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="money" className={classNames(styles.card, styles.money)} data-part="money">
      <h2 id="money">{t('payments.facts.money')}</h2>
      <FactList facts={useMoney(payment)} />
    </section>
  );
}

function useMoney(payment: PaymentStory): (Fact | null)[] {
  const { t } = useTranslation();
  const formats = useFormats();
  const { cryptoAmount, cryptoTokenDecimals: decimals, leftoverAmount, platformFeeBps, currency } = payment;
  const { refunded, refunding, fee, paidOut } = moneySums(payment);
  const worth = (units: bigint): ReactNode => {
    const fiat = fiatAtPayment(units, payment);
    return (
      <>
        {formats.token(units, decimals ?? 0).exact} {symbolOf(payment)}
        {fiat !== null && <span className={styles.worth}>{formats.fiat(fiat, currency)}</span>}
      </>
    );
  };
  // Paid by x402 `exact`, without the escrow, so there is no fee and no refund.
  const isDirect = payment.x402?.scheme === 'exact';
  const percent = formats.percent(platformFeeBps);
  const some = (name: string, units: bigint): Fact | null => (units === 0n ? null : [name, worth(units)]);
  return [
    [t('payments.facts.asked'), formats.fiat(payment.amount, currency)],
    cryptoAmount == null ? null : [t('payments.facts.paid'), worth(BigInt(cryptoAmount))],
    some(t('payments.money.refunded'), refunded),
    some(t('payments.money.refunding'), refunding),
    fee === 0n
      ? isDirect || !awaitsPayout(payment)
        ? null
        : [t('payments.facts.fee'), t('payments.money.feeLater', { percent })]
      : [t('payments.money.feeOf', { percent }), worth(fee)],
    ...gasSums(payment.transactions).map(({ coin, decimals: digits, units, amountUsd }): Fact => {
      const figure = formats.token(units, digits);
      return [
        t('payments.money.gas'),
        <span key={coin} title={`${figure.exact} ${coin}`}>
          {figure.words} {coin}
          {amountUsd !== null && <span className={styles.worth}>{formats.smallFiat(amountUsd, 'USD')}</span>}
        </span>,
      ];
    }),
    leftoverAmount == null ? null : [t('payments.facts.left'), worth(BigInt(leftoverAmount))],
    some(t('payments.money.paidOut'), paidOut),
    payment.status === 'CREATED' && payment.expiresAt
      ? [t('payments.facts.expires'), <Time key="expires" at={payment.expiresAt} />]
      : null,
    payment.timelockEndsAt && payment.settledAt === null && BigInt(leftoverAmount ?? '0') > 0n
      ? [t('payments.facts.settles'), <Time key="settles" at={payment.timelockEndsAt} />]
      : null,
    isDirect
      ? [
          t('payments.money.refunds'),
          <span key="refunds" data-part="not-refundable">
            {t('payments.money.notRefundable')}
            <span className={styles.worth}>{t('payments.money.notRefundableWhy')}</span>
          </span>,
        ]
      : null,
    payment.settledAt ? [t('payments.facts.settled'), <Time key="settled" at={payment.settledAt} isAbsolute />] : null,
  ];
}
