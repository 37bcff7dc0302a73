/** Compares our data with the chain on request only, because it causes work for the chain's nodes. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PaymentVerifiedDocument, type PaymentVerifiedQuery } from '../../../../../generated/web/documents.ts';
import { ask } from '../../../api/ask.ts';
import { chainOf, tokenOf } from '../../../settings.ts';
import { Address } from '../../../ui/addresses/address.tsx';
import { Button } from '../../../ui/button/button.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { Status } from '../../../ui/state/status.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { useDashboard } from '../../session/use-dashboard.ts';
import styles from './payment-page.module.css';

type Found = PaymentVerifiedQuery['paymentIntent']['verification'];

/** `updatedAt` is part of the key, so that a change of the payment discards the previous result. */
export function Verification({ id, updatedAt }: { id: string; updatedAt: string }) {
  const { t } = useTranslation();
  const { credential } = useDashboard();
  const [isAsked, setAsked] = useState(false);
  const query = useQuery({
    queryKey: ['payment-verified', id, updatedAt],
    queryFn: ({ signal }) => ask(PaymentVerifiedDocument, { id }, { credential, signal }),
    enabled: isAsked,
    retry: false,
  });
  const found = query.data?.paymentIntent.verification;
  return (
    <section aria-labelledby="verification" className={styles.card} data-verdict={found?.verdict}>
      <div className={styles.badges}>
        <h2 id="verification">{t('payments.verify.title')}</h2>
        {found && (
          <Status status={found.verdict} tone={found.verdict === 'MATCH' ? 'good' : 'bad'}>
            {t(`payments.verify.${found.verdict}`)}
          </Status>
        )}
      </div>
      {!isAsked && <p className={styles.soft}>{t('payments.verify.about')}</p>}
      {query.isLoading && <Skeleton lines={3} />}
      {query.isError && <ErrorNote error={query.error} />}
      {found && <Evidence found={found} />}
      <div>
        <Button
          size="small"
          icon="shield"
          isBusy={query.isFetching}
          busyWords={t('payments.verify.asking')}
          onPress={() => (isAsked ? void query.refetch() : setAsked(true))}
        >
          {isAsked ? t('payments.verify.again') : t('payments.verify.ask')}
        </Button>
      </div>
    </section>
  );
}

function Evidence({ found }: { found: Found }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const faults = [...found.faults, ...found.terms.flatMap((terms) => terms.faults)];
  return (
    <>
      {faults.length > 0 && (
        <ul className={styles.faults}>
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      {found.terms
        .filter(({ accepted }) => accepted)
        .map((terms) => {
          const token = tokenOf(terms.tokenKey);
          const figure = (units: string) =>
            token ? `${formats.token(units, token.decimals).exact} ${token.symbol}` : units;
          return (
            <dl key={`${terms.chainId}:${terms.termsHash}`} className={styles.facts}>
              <dt>{t('payments.verify.contract')}</dt>
              <dd>
                {terms.status} · {chainOf(terms.chainId)?.name ?? terms.chainId}
              </dd>
              <dt>{t('payments.verify.left')}</dt>
              <dd>{figure(terms.left)}</dd>
              <dt>{t('payments.verify.booked')}</dt>
              <dd>{figure(terms.booked)}</dd>
              <dt>{t('payments.verify.terms')}</dt>
              <dd>
                <Address value={terms.termsHash} kind="transaction" />
              </dd>
            </dl>
          );
        })}
      <p className={styles.soft}>
        {t('payments.verify.at')} <Time at={found.verifiedAt} />
      </p>
    </>
  );
}
