// biome-ignore-all lint/a11y/useSemanticElements: the scroller positions the rows, so they cannot be table rows.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus moves by row, and Tab reaches one row at a time.
/** One row of the list. All rows have the same height. */
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { PaymentRowFragment } from '../../../../../generated/web/documents.ts';
import { chainOf, tokenOf } from '../../../settings.ts';
import { classNames } from '../../../ui/class-names.ts';
import { shortAddress } from '../../../ui/formats/address.ts';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Time } from '../../../ui/state/time.tsx';
import { hostOf } from '../host-of.ts';
import { payerName } from '../payer-name.ts';
import { PaymentStatus } from '../payment-status.tsx';
import styles from './payments-list.module.css';

type PaymentRowProps = {
  row: PaymentRowFragment;
  index: number;
  isCurrent: boolean;
  /** The distance from the top of the list in pixels. */
  offset: number;
  onOpen: (id: string) => void;
  onFocus: (index: number) => void;
};

export const PaymentRow = memo(function PaymentRow({
  row,
  index,
  isCurrent,
  offset,
  onOpen,
  onFocus,
}: PaymentRowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { cryptoAmount, cryptoTokenDecimals, cryptoTokenKey, authorizationChainId: chainId } = row;
  const symbol = tokenOf(cryptoTokenKey ?? '')?.symbol ?? cryptoTokenKey?.split('-')[0] ?? '';
  const figure =
    cryptoAmount == null || cryptoTokenDecimals == null ? null : formats.token(cryptoAmount, cryptoTokenDecimals);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of the focused row.
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={isCurrent ? 0 : -1}
      data-row={index}
      className={styles.row}
      style={{ transform: `translateY(${offset}px)` }}
      onClick={() => onOpen(row.id)}
      onFocus={() => onFocus(index)}
    >
      <span role="gridcell" className={classNames(styles.cell, styles.amount)}>
        {formats.fiat(row.amount, row.currency)}
      </span>
      <span role="gridcell" className={classNames(styles.cell, styles.status)}>
        <PaymentStatus status={row.status} flags={row.flags} isInList />
      </span>
      <span role="gridcell" className={classNames(styles.cell, styles.payer)}>
        <Payer row={row} />
        {row.x402 && (
          <span className={styles.call} title={row.x402.resource}>
            x402 {row.x402.scheme} · {hostOf(row.x402.resource)}
          </span>
        )}
      </span>
      <span role="gridcell" className={classNames(styles.cell, styles.token)}>
        {figure ? (
          <span title={`${figure.exact} ${symbol}`}>
            {figure.words} {symbol}
            <span className={styles.soft}> · {chainId === null ? '' : (chainOf(chainId)?.name ?? chainId)}</span>
          </span>
        ) : (
          <span className={styles.soft}>{row.status === 'CREATED' ? t('payments.list.unpaid') : '–'}</span>
        )}
      </span>
      <span role="gridcell" className={classNames(styles.cell, styles.reference)}>
        {row.externalId ?? <span className={styles.soft}>–</span>}
      </span>
      <span role="gridcell" className={classNames(styles.cell, styles.time)}>
        <Time at={row.createdAt} />
      </span>
    </div>
  );
});

function Payer({ row }: { row: PaymentRowFragment }) {
  const { customerAccount: customer, authorizationWalletAddress: wallet } = row;
  const name = payerName(row);
  if (name) return <span title={customer?.email ?? undefined}>{name}</span>;
  if (wallet) {
    return (
      <span className={styles.code} title={wallet}>
        {shortAddress(wallet)}
      </span>
    );
  }
  return <span className={styles.soft}>–</span>;
}
