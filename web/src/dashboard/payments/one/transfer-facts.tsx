/** A plain transfer: its deposit address, and the amounts that arrived, were returned, and cannot be returned. */
import { useTranslation } from 'react-i18next';
import { chainOf, tokenOf } from '../../../settings.ts';
import { Address } from '../../../ui/addresses/address.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Note } from '../../../ui/state/note.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { useTokenWords } from '../../resources/use-token-words.ts';
import styles from './payment-page.module.css';
import type { PaymentStory } from './payment-steps.ts';

export function TransferFacts({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const tokenWords = useTokenWords();
  const { transfer } = payment;
  if (!transfer) return null;
  const { chainId, tokenKey } = transfer;
  const print = (units: string, key: string) => {
    const token = tokenOf(key);
    return `${formats.token(units, token?.decimals ?? 0).exact} ${token?.symbol ?? key}`;
  };
  const others = transfer.balances.filter((balance) => balance.tokenKey !== tokenKey);
  return (
    <section aria-labelledby="transfer" className={styles.card} data-part="transfer">
      <h2 id="transfer">{t('payments.transfer.title')}</h2>
      <dl className={styles.facts}>
        <dt>{t('payments.transfer.address')}</dt>
        <dd>
          <Address value={transfer.address} chainId={chainId} />
        </dd>
        <dt>{t('payments.transfer.chain')}</dt>
        <dd>{chainOf(chainId)?.name ?? chainId}</dd>
        <dt>{t('payments.transfer.expected')}</dt>
        <dd>{print(transfer.amount, tokenKey)}</dd>
        <dt>{t('payments.transfer.received')}</dt>
        <dd>{print(transfer.received, tokenKey)}</dd>
        <dt>{t('payments.transfer.returned')}</dt>
        <dd>{print(transfer.returned, tokenKey)}</dd>
        {transfer.held !== '0' && <dt>{t('payments.transfer.held')}</dt>}
        {transfer.held !== '0' && <dd>{print(transfer.held, tokenKey)}</dd>}
        {others.map((other) => [
          <dt key={`${other.tokenKey} name`}>
            {t('payments.transfer.other', { symbol: tokenWords(other.tokenKey) })}
          </dt>,
          <dd key={`${other.tokenKey} value`}>
            {t('payments.transfer.otherSums', {
              received: print(other.received, other.tokenKey),
              returned: print(other.returned, other.tokenKey),
            })}
          </dd>,
        ])}
        <dt>{t('payments.transfer.refundAddress')}</dt>
        <dd>
          <Address value={transfer.refundAddress} chainId={chainId} />
        </dd>
        <dt>{t('payments.transfer.payBy')}</dt>
        <dd>
          <Time at={transfer.payBy} isAbsolute />
        </dd>
      </dl>
      {transfer.stuckReason && (
        <Note tone="wait" title={t('payments.transfer.stuck')}>
          {t('payments.transfer.stuckWhy', { why: transfer.stuckReason })}
        </Note>
      )}
    </section>
  );
}
