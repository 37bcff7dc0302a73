/** A recurring consent: its amount, its interval, its merchant, and a button to revoke it. */
import { useTranslation } from 'react-i18next';
import { revokeCall } from '../../../../src/escrow/calldata.ts';
import { Amount } from '../../ui/amounts/amount.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';
import type { HeldConsent } from '../holdings/holding.ts';
import { CallButton } from './call-button.tsx';
import type { Acting } from './known-state.ts';
import { MerchantHead } from './merchant-head.tsx';
import styles from './payer.module.css';
import { tokenAmount } from './token-amount.ts';

const SECONDS = 0;

export function ConsentCard({
  consent: held,
  isRevoked,
  acting,
}: {
  consent: HeldConsent;
  isRevoked: boolean;
  acting: Acting;
}) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { consent, reported, chainId, escrow } = held;
  const period =
    consent.unit === SECONDS
      ? t('payer.consent.every', { span: formats.span(consent.count) })
      : t('payer.consent.months', { count: consent.count });
  const cap = tokenAmount(chainId, consent.token, consent.capPerPeriod);
  const most = `${formats.token(cap.units, cap.decimals).words} ${cap.symbol}`;
  const name = reported?.merchant.name ?? consent.merchant;
  return (
    <article className={styles.item} aria-label={t('payer.consent.of', { name })}>
      <div className={styles.itemHead}>
        <MerchantHead merchant={reported?.merchant} address={consent.merchant} about={reported?.planName} />
        <Amount
          fiat={reported ? { amount: reported.price.amount, currency: reported.price.currency } : undefined}
          token={cap}
        />
      </div>
      <div className={styles.outlook}>
        <Status status={isRevoked ? 'REVOKED' : (reported?.status ?? 'ACTIVE')} tone={isRevoked ? 'quiet' : 'wait'}>
          {isRevoked ? t('payer.consent.revoked') : t('payer.consent.standing')}
        </Status>
        <p>
          {isRevoked ? t('payer.consent.revokedWords') : t('payer.consent.words', { most, period })}
          {!isRevoked && reported?.nextChargeAt && reported.isCurrent && !reported.cancelAtPeriodEnd && (
            <> {t('payer.consent.next', { at: formats.absolute(new Date(reported.nextChargeAt)) })}</>
          )}
        </p>
        {reported?.usage?.map(({ periodStart, quantity, unitName, amount, currency }) => (
          <p key={periodStart}>
            {t('payer.consent.usage', {
              quantity: formats.quantity(quantity),
              unit: unitName,
              amount: formats.fiat(amount, currency),
              from: formats.day(new Date(periodStart)),
            })}
          </p>
        ))}
      </div>
      {!isRevoked && (
        <CallButton look="danger" chainId={chainId} call={revokeCall({ escrow, consent })} acting={acting}>
          {t('payer.consent.revoke')}
        </CallButton>
      )}
    </article>
  );
}
