/** The consent that the payer signed once for all charges: its maximum, its expiry, and what is left of it. */
import { useTranslation } from 'react-i18next';
import type { SubscriptionFactsFragment } from '../../../../generated/web/documents.ts';
import { chainOf, tokenOf } from '../../settings.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Facts } from '../resources/facts.tsx';
import styles from './subscriptions.module.css';

export function ConsentFacts({ subscription }: { subscription: SubscriptionFactsFragment }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { consent, approvedAllowance, authorizationMethod } = subscription;
  if (!consent) return <p className={styles.quiet}>{t('subscriptions.noConsent')}</p>;
  const token = tokenOf(consent.tokenKey);
  const units = (value: string) => {
    if (!token) return `${value} ${consent.tokenKey}`;
    const figure = formats.token(value, token.decimals);
    return <span title={`${figure.exact} ${token.symbol}`}>{`${figure.words} ${token.symbol}`}</span>;
  };
  const instant = (at: string | null | undefined) => at && formats.absolute(new Date(at));
  return (
    <Facts
      facts={[
        {
          key: 'wallet',
          name: t('subscriptions.wallet'),
          value: <Address value={consent.walletAddress} chainId={consent.chainId} />,
        },
        {
          key: 'where',
          name: t('subscriptions.chargedIn'),
          value: `${token?.symbol ?? consent.tokenKey} · ${chainOf(consent.chainId)?.name ?? consent.chainId}`,
        },
        { key: 'cap', name: t('subscriptions.cap'), value: units(consent.capPerPeriod) },
        {
          key: 'allowance',
          name: t('subscriptions.allowance'),
          value: approvedAllowance == null ? t('subscriptions.allowanceUnseen') : units(approvedAllowance),
        },
        {
          key: 'method',
          name: t('subscriptions.method'),
          value: authorizationMethod && t(`subscriptions.methods.${authorizationMethod}`),
        },
        { key: 'accepted', name: t('subscriptions.signedAt'), value: instant(consent.acceptedAt) },
        { key: 'replaced', name: t('subscriptions.replacedConsent'), value: shortId(consent.replacedConsentId) },
        {
          key: 'ends',
          name: t('subscriptions.consentEnds'),
          value: consent.revokedAt ? null : (instant(consent.endsAt) ?? t('subscriptions.noEnd')),
        },
        { key: 'revoked', name: t('subscriptions.revokedAt'), value: instant(consent.revokedAt) },
        {
          key: 'periods',
          name: t('subscriptions.chargedPeriods'),
          value: consent.lastChargedPeriod == null ? formats.count(0) : formats.count(consent.lastChargedPeriod + 1),
        },
        {
          key: 'id',
          name: t('subscriptions.consentId'),
          value: (
            <span className={styles.inline}>
              {shortId(consent.id)}
              <CopyButton text={consent.id} name={t('subscriptions.consentId')} />
            </span>
          ),
        },
      ]}
    />
  );
}

function shortId(id: string | null | undefined) {
  return id && <code title={id}>{`${id.slice(0, 10)}…${id.slice(-4)}`}</code>;
}
