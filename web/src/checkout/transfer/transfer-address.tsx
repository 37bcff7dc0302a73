/** The address, the exact amount, the network and the deadline, and what has arrived. The page detects the transfer automatically. */
import { useTranslation } from 'react-i18next';
import type { TransferViewFragment } from '../../../../generated/web/documents.ts';
import { chainOf, tokenOf } from '../../settings.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { QrCode } from '../../ui/code/qr-code.tsx';
import { plainDecimal } from '../../ui/formats/money.ts';
import { countdown } from '../../ui/formats/time.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Note } from '../../ui/state/note.tsx';
import { CardHead } from '../view/card-head.tsx';
import cards from '../view/cards.module.css';
import { missingOf, transferStage } from './live-transfer.ts';
import styles from './transfer-address.module.css';

const LAST_MINUTES_MS = 300_000;

type TransferAddressProps = {
  transfer: TransferViewFragment;
  /** Milliseconds, by the gateway's clock. */
  now: number;
  /** Changes the token or the refund address; undefined once something has arrived. */
  change: (() => void) | undefined;
  back: (() => void) | undefined;
};

export function TransferAddress({ transfer, now, change, back }: TransferAddressProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const token = tokenOf(transfer.tokenKey);
  const symbol = token?.symbol ?? transfer.tokenKey;
  const chain = chainOf(transfer.chainId)?.name ?? String(transfer.chainId);
  const print = (units: string | bigint) => formats.token(units, token?.decimals ?? 0).exact;
  const stage = transferStage(transfer, now);
  const missing = missingOf(transfer);
  const due = stage === 'short' ? missing : BigInt(transfer.amount);
  const amount = print(due);
  const remainingMs = Date.parse(transfer.expiresAt) - now;
  const last = Date.parse(transfer.payBy) - now;
  const isUrgent = remainingMs < LAST_MINUTES_MS;
  return (
    <div className={cards.stack} data-stage={stage}>
      <CardHead title={t('transfer.send.title', { amount, symbol })}>
        {t('transfer.send.words', { symbol, chain })}
      </CardHead>
      {stage !== 'seen' && (
        <QrCode text={transfer.address} label={t('transfer.send.alt')} data-address={transfer.address} />
      )}
      <dl className={styles.facts}>
        <dt>{t('transfer.send.network')}</dt>
        <dd>{chain}</dd>
        <dt>{t('transfer.send.amount')}</dt>
        <dd data-fact="amount">
          <strong>{amount}</strong> {symbol}{' '}
          <CopyButton text={plainDecimal(due, token?.decimals ?? 0)} name={t('transfer.send.amount')} />
        </dd>
        <dt>{t('transfer.send.address')}</dt>
        <dd>
          <Address value={transfer.address} chainId={transfer.chainId} isFull />
        </dd>
      </dl>
      <Arrived {...{ transfer, stage, symbol, print, missing }} />
      {stage !== 'seen' && (
        <p className={classNames(cards.small, isUrgent && cards.urgent)} role={isUrgent ? 'timer' : undefined}>
          {remainingMs > 0
            ? t('transfer.left', { time: countdown(remainingMs) })
            : t('transfer.leftLate', { time: countdown(Math.max(last, 0)) })}
        </p>
      )}
      <Note tone="wait" title={t('transfer.warning.title', { symbol, chain })}>
        {t('transfer.warning.words', { amount, symbol, chain })}
      </Note>
      <details className={cards.others}>
        <summary>{t('transfer.wrong.title')}</summary>
        <ul className={styles.rules}>
          <li>{t('transfer.wrong.more')}</li>
          <li>{t('transfer.wrong.less')}</li>
          <li>{t('transfer.wrong.late')}</li>
          <li>{t('transfer.wrong.token')}</li>
        </ul>
        <p className={cards.small}>{t('transfer.wrong.to')}</p>
        <Address value={transfer.refundAddress} chainId={transfer.chainId} isFull />
      </details>
      <details className={cards.others}>
        <summary>{t('transfer.request.title')}</summary>
        <QrCode text={transfer.paymentUrl} label={t('transfer.request.alt')} data-payment-url={transfer.paymentUrl} />
        <p className={cards.small}>{t('transfer.request.words')}</p>
      </details>
      <div className={cards.actions}>
        {change && stage !== 'seen' && (
          <Button look="bare" isWide onPress={change}>
            {t('transfer.change')}
          </Button>
        )}
        {back && stage !== 'seen' && (
          <Button look="bare" isWide onPress={back}>
            {t('transfer.back')}
          </Button>
        )}
      </div>
    </div>
  );
}

type ArrivedProps = {
  transfer: TransferViewFragment;
  stage: ReturnType<typeof transferStage>;
  symbol: string;
  print: (units: string | bigint) => string;
  missing: bigint;
};

function Arrived({ transfer, stage, symbol, print, missing }: ArrivedProps) {
  const { t } = useTranslation();
  const values = { received: print(transfer.received), missing: print(missing), symbol };
  return (
    <p className={styles.watching} role="status">
      <span className={styles.dot} aria-hidden="true" />
      {t(`transfer.stage.${stage}`, values)}
    </p>
  );
}
